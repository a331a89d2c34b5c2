#ifndef PARLEY_DRAG_H
#define PARLEY_DRAG_H

void drag_run(char **uris, int n, void *png, int length, char *words, int only_move);

#endif
