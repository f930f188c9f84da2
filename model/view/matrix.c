// M is all that a score knows of its words (S = X M Xᵀ): how symmetric it has stayed, and how many
// directions it uses, which d_k bounds.
#include "model/view/matrix.h"


enum { SHOWN = 6 };  // singular values from the top

static int rank(const ArmHistory *arm) {
    int n = 0;
    while (n < arm->singular_values && arm->singular[n] > 1e-6 * arm->singular[0]) n++;
    return n;
}

void matrix_print(FILE *out, Term term, const History *history) {
    fprintf(out, "\n%-6s %9s %5s  %s\n", "M", "symmetry", "rank", "singular values");
    for (int i = 0; i < history->arms; i++) {
        const ArmHistory *arm = &history->arm[i];
        if (!arm->singular) continue;
        int fits = (term.width - 24) / 7, n = rank(arm);
        fprintf(out, "%-6s %9.3f %5d ", arm->name, arm->symmetry, n);
        for (int k = 0; k < arm->singular_values && k < SHOWN && k < fits; k++)
            fprintf(out, " %6.2f", arm->singular[k]);
        fputs(n > SHOWN && fits > SHOWN ? " ...\n" : "\n", out);
    }
    fputs("symmetry of M: 1 symmetric, 0 unrelated to its mirror image, -1 antisymmetric\n", out);
}
