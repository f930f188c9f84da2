#ifndef MODEL_WINDOWS_SYS_IOCTL_H
#define MODEL_WINDOWS_SYS_IOCTL_H

enum { TIOCGWINSZ = 1 };
struct winsize { unsigned short ws_row, ws_col; };
int ioctl(int fd, int what, struct winsize *window);  // of the console

#endif
