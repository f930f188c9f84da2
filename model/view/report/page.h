#ifndef MODEL_VIEW_REPORT_PAGE_H
#define MODEL_VIEW_REPORT_PAGE_H

// model/view/report/, a line each and then NULL; the Makefile makes page.c from it.
extern const char *const page_html[], *const page_css[], *const page_script[];

#endif
