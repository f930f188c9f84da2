#ifndef MODEL_VIEW_REPORT_M_BY_ROLE_H
#define MODEL_VIEW_REPORT_M_BY_ROLE_H

#include "model/model.h"

// M in a basis that a person can read: how a query of each role (the kind of its question; in
// `search` its term, in `text` its character) scores a key of each role. With u_r the mean of X
// over the tokens of role r, the entry is u_r M u_sᵀ / sqrt(d_k), of the last layer's first head.
typedef struct MByRole {
    int rows, columns;
    const char **row, **column;  // names; they belong to the task
    double *M;                   // (rows, columns)
} MByRole;

// Of the first held-out sentences, as far as they are needed; the tape and the batch are used.
MByRole m_by_role_of(Model *model, Tape *tape, Batch *batch);
void m_by_role_free(MByRole *roles);

#endif
