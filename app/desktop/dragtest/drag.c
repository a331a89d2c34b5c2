//go:build desktop

#include "drag.h"

#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>

static char **uris;
static void *png;
static int png_length;
static char *words;

enum { addresses, picture, text };

static void on_get(GtkWidget *w, GdkDragContext *context, GtkSelectionData *data, guint info, guint time, gpointer user) {
    (void)w, (void)context, (void)time, (void)user;
    if (info == addresses)
        gtk_selection_data_set_uris(data, uris);
    else if (info == picture)
        gtk_selection_data_set(data, gtk_selection_data_get_target(data), 8, png, png_length);
    else
        gtk_selection_data_set_text(data, words, -1);
}

static void on_begin(GtkWidget *w, GdkDragContext *context, gpointer user) {
    (void)w, (void)context, (void)user;
    puts("begun");
}

static void on_delete(GtkWidget *w, GdkDragContext *context, gpointer user) {
    (void)w, (void)context, (void)user;
    puts("moved");
}

static void on_end(GtkWidget *w, GdkDragContext *context, gpointer user) {
    (void)w, (void)user;
    puts(gdk_drag_context_get_selected_action(context) != 0 ? "taken" : "refused");
}

static void on_received(GtkWidget *w, GdkDragContext *context, gint x, gint y, GtkSelectionData *data, guint info, guint time, gpointer user) {
    (void)w, (void)context, (void)x, (void)y, (void)info, (void)time, (void)user;
    char **got = gtk_selection_data_get_uris(data);
    for (char **u = got; u != NULL && *u != NULL; u++)
        printf("dropped %s\n", *u);
    g_strfreev(got);
}

static gboolean on_ready(gpointer user) {
    (void)user;
    puts("ready");
    return G_SOURCE_REMOVE;
}

void drag_run(char **list, int n, void *data, int length, char *say, int only_move) {
    if (!gtk_init_check(NULL, NULL))
        exit(1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    uris = list;
    png = data;
    png_length = length;
    words = say;
    GtkTargetList *targets = gtk_target_list_new(NULL, 0);
    if (n > 0)
        gtk_target_list_add_uri_targets(targets, addresses);
    if (length > 0)
        gtk_target_list_add(targets, gdk_atom_intern("image/png", FALSE), 0, picture);
    if (*words != 0)
        gtk_target_list_add_text_targets(targets, text);
    int count;
    GtkTargetEntry *entries = gtk_target_table_new_from_list(targets, &count);

    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL), *box = gtk_event_box_new();
    gtk_window_set_title(GTK_WINDOW(window), "dragtest");
    gtk_window_set_default_size(GTK_WINDOW(window), 120, 120);
    gtk_container_add(GTK_CONTAINER(window), box);
    gtk_drag_source_set(box, GDK_BUTTON1_MASK, entries, count, only_move ? GDK_ACTION_MOVE : GDK_ACTION_COPY | GDK_ACTION_MOVE);
    g_signal_connect(box, "drag-begin", G_CALLBACK(on_begin), NULL);
    g_signal_connect(box, "drag-data-get", G_CALLBACK(on_get), NULL);
    g_signal_connect(box, "drag-data-delete", G_CALLBACK(on_delete), NULL);
    g_signal_connect(box, "drag-end", G_CALLBACK(on_end), NULL);
    gtk_drag_dest_set(box, GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY | GDK_ACTION_LINK);
    gtk_drag_dest_add_uri_targets(box);
    g_signal_connect(box, "drag-data-received", G_CALLBACK(on_received), NULL);
    g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
    gtk_widget_show_all(window);
    g_idle_add_full(G_PRIORITY_LOW, on_ready, NULL, NULL);
    gtk_main();
}
