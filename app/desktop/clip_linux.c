//go:build desktop

#include "clip_linux.h"

#include <gtk/gtk.h>
#include <string.h>
#include <webkit2/webkit2.h>

/* Exported from clip_linux.go. The data is copied before they return. kind is 'f' for a
 * list of files, 'p' for a picture of a type, 't' for a text, 'l' for what is too large,
 * 0 for nothing. */
extern void parleyPasteKey(uintptr_t window);
extern void parleyGrabbed(uintptr_t request, char kind, char *type, void *data, int length);
extern void parleyDragOver(uintptr_t window, double x, double y);
extern void parleyDragLeft(uintptr_t window);
extern void parleyDropped(uintptr_t window, double x, double y, char kind, char *type, void *data, int length);

/* More than this nobody hands over. */
enum { largest = 64 << 20, most_wanted = 16 };

/* WebKit numbers the kinds of data that it takes from 0 on. */
enum { not_webkits = 1000 };

static GtkWidget *view; /* the page; NULL once it is gone */
static uintptr_t owner;

/* What another program offers is asked for in the order of wanted, until something is
 * there. */
struct wanted {
    char kind;
    GdkAtom target;
};

struct grab {
    struct wanted wanted[most_wanted];
    int count, at;
};

static void want(struct grab *g, char kind, GdkAtom target) {
    if (g->count < most_wanted)
        g->wanted[g->count++] = (struct wanted){kind, target};
}

static gboolean offers(const GdkAtom *targets, int n, const char *name, GdkAtom *found) {
    *found = gdk_atom_intern(name, FALSE);
    for (int i = 0; i < n; i++)
        if (targets[i] == *found)
            return TRUE;
    return FALSE;
}

static void want_each(struct grab *g, const GdkAtom *targets, int n, char kind, const char *const *names) {
    GdkAtom found;
    for (; *names != NULL; names++)
        if (offers(targets, n, *names, &found))
            want(g, kind, found);
}

static const char *const pictures[] = {"image/png", "image/jpeg",   "image/webp",     "image/gif",
                                       "image/bmp", "image/x-bmp", "image/x-MS-bmp", "image/tiff", NULL};
static const char *const files[] = {"text/uri-list", "x-special/gnome-copied-files", NULL};

static void want_text(struct grab *g, const GdkAtom *targets, int n) {
    static const char *const texts[] = {"text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING", NULL};
    want_each(g, targets, n, 't', texts);
}

/* A copied table is a text and a picture of it, and the text is what was meant. A picture
 * that is dragged out of a page comes with its address, and the picture is what was
 * meant. Copied files come with their paths as text. */
static void choose(struct grab *g, const GdkAtom *targets, int n, gboolean dragged) {
    static const char *const links[] = {"text/uri-list", NULL};
    want_each(g, targets, n, 'f', files);
    if (dragged)
        want_each(g, targets, n, 'p', pictures);
    want_text(g, targets, n);
    if (!dragged)
        want_each(g, targets, n, 'p', pictures);
    want_each(g, targets, n, 't', links);
}

/* Whether a list names anything but pages of the web. */
static gboolean has_files(const char *list) {
    char **lines = g_strsplit_set(list, "\r\n", 0);
    gboolean found = FALSE;
    for (char **line = lines; *line != NULL && !found; line++) {
        char *scheme = g_uri_parse_scheme(*line);
        found = scheme != NULL && g_ascii_strcasecmp(scheme, "http") != 0 && g_ascii_strcasecmp(scheme, "https") != 0;
        g_free(scheme);
    }
    g_strfreev(lines);
    return found;
}

/* What tell has to be told of an answer, FALSE when the answer says nothing. */
struct got {
    char kind;
    char *type;
    void *data;
    int length;
};

static gboolean take(const struct wanted *w, GtkSelectionData *answer, struct got *got) {
    int length = gtk_selection_data_get_length(answer);
    if (length <= 0)
        return FALSE;
    *got = (struct got){w->kind, gdk_atom_name(w->target), NULL, length};
    if (length > largest) {
        got->kind = 'l';
        got->length = 0;
        return TRUE;
    }
    if (w->kind == 't') {
        got->data = gtk_selection_data_get_text(answer);
        if (got->data == NULL) /* a list of links */
            got->data = g_strndup((const char *)gtk_selection_data_get_data(answer), length);
        got->length = strlen(got->data);
    } else {
        got->data = g_malloc(length + 1);
        memcpy(got->data, gtk_selection_data_get_data(answer), length);
        ((char *)got->data)[length] = 0;
    }
    if (got->length == 0 || (w->kind == 'f' && !has_files(got->data))) {
        g_free(got->type);
        g_free(got->data);
        return FALSE;
    }
    return TRUE;
}

static void release(struct got *got) {
    g_free(got->type);
    g_free(got->data);
}

/* The clipboard. */

struct reading {
    struct grab grab;
    uintptr_t request;
};

static void read_next(GtkClipboard *clipboard, struct reading *r);

static void on_contents(GtkClipboard *clipboard, GtkSelectionData *answer, gpointer data) {
    struct reading *r = data;
    struct got got;
    if (!take(&r->grab.wanted[r->grab.at], answer, &got)) {
        r->grab.at++;
        read_next(clipboard, r);
        return;
    }
    parleyGrabbed(r->request, got.kind, got.type, got.data, got.length);
    release(&got);
    g_free(r);
}

static void read_next(GtkClipboard *clipboard, struct reading *r) {
    if (r->grab.at < r->grab.count) {
        gtk_clipboard_request_contents(clipboard, r->grab.wanted[r->grab.at].target, on_contents, r);
        return;
    }
    parleyGrabbed(r->request, 0, NULL, NULL, 0);
    g_free(r);
}

static void on_targets(GtkClipboard *clipboard, GdkAtom *targets, gint n, gpointer data) {
    struct reading *r = data;
    if (targets != NULL)
        choose(&r->grab, targets, n, FALSE);
    read_next(clipboard, r);
}

static gboolean read_clipboard(gpointer data) {
    gtk_clipboard_request_targets(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD), on_targets, data);
    return G_SOURCE_REMOVE;
}

void parley_read_clipboard(uintptr_t request) {
    struct reading *r = g_new0(struct reading, 1);
    r->request = request;
    g_idle_add(read_clipboard, r);
}

void parley_paste(void) {
    if (view == NULL)
        return;
    parleyPasteKey(owner);
    webkit_web_view_execute_editing_command(WEBKIT_WEB_VIEW(view), WEBKIT_EDITING_COMMAND_PASTE);
}

/* Whether a key bears a letter in any of the keyboard's layouts. */
static gboolean bears(GdkEventKey *event, guint letter) {
    GdkKeymapKey *keys = NULL;
    gint n = 0;
    gboolean found = event->keyval == letter;
    if (!found && gdk_keymap_get_entries_for_keyval(gdk_keymap_get_for_display(gdk_window_get_display(event->window)), letter, &keys, &n))
        for (int i = 0; i < n && !found; i++)
            found = keys[i].keycode == event->hardware_keycode;
    g_free(keys);
    return found;
}

/* The keys that WebKit pastes by. It gets them all the same. */
static gboolean on_key(GtkWidget *widget, GdkEventKey *event, gpointer data) {
    (void)widget;
    gboolean control = (event->state & GDK_CONTROL_MASK) != 0, shift = (event->state & GDK_SHIFT_MASK) != 0;
    gboolean insert = event->keyval == GDK_KEY_Insert || event->keyval == GDK_KEY_KP_Insert;
    if (event->keyval == GDK_KEY_Paste || (shift && insert) || (control && bears(event, GDK_KEY_v)))
        parleyPasteKey((uintptr_t)data);
    return FALSE;
}

/* A page of the web may ask to read the clipboard with every click of a person. This one
 * gets what was pasted. */
static gboolean on_permission(WebKitWebView *from, WebKitPermissionRequest *request, gpointer data) {
    (void)from, (void)data;
    if (!WEBKIT_IS_CLIPBOARD_PERMISSION_REQUEST(request))
        return FALSE;
    webkit_permission_request_deny(request);
    return TRUE;
}

/* Drags. One at a time is over the page: context, NULL for none that is not the page's own. */

static struct {
    GdkDragContext *context;
    gboolean over, may, dropped;
    int x, y;
    guint time;
    struct grab grab;
} drag;

/* What the page drags itself stays its own. */
static gboolean is_own(GdkDragContext *context) { return gtk_drag_get_source_widget(context) != NULL; }

/* A file is never moved away from where it is. */
static GdkDragAction action(void) {
    GdkDragAction may = gdk_drag_context_get_actions(drag.context);
    return may & GDK_ACTION_COPY ? GDK_ACTION_COPY : may & GDK_ACTION_LINK ? GDK_ACTION_LINK : 0;
}

static void answer(void) { gdk_drag_status(drag.context, drag.may ? action() : 0, drag.time); }

static double share(int part, int whole) { return whole > 0 ? (double)part / whole : 0; }

static gboolean on_motion(GtkWidget *widget, GdkDragContext *context, gint x, gint y, guint time, gpointer data) {
    if (is_own(context))
        return FALSE;
    gboolean fresh = g_set_object(&drag.context, context);
    if (fresh)
        drag.may = drag.dropped = FALSE;
    /* Nothing is said of what is not taken. */
    if (action() != 0 && (fresh || x != drag.x || y != drag.y))
        parleyDragOver((uintptr_t)data, share(x, gtk_widget_get_allocated_width(widget)), share(y, gtk_widget_get_allocated_height(widget)));
    drag.over = TRUE;
    drag.x = x;
    drag.y = y;
    drag.time = time;
    answer();
    return TRUE;
}

static void on_leave(GtkWidget *widget, GdkDragContext *context, guint time, gpointer data) {
    (void)time;
    if (context != drag.context)
        return;
    g_signal_stop_emission_by_name(widget, "drag-leave");
    drag.over = FALSE;
    drag.x = drag.y = -1;
    parleyDragLeft((uintptr_t)data);
}

static void tell_drop(GtkWidget *widget, struct got *got) {
    parleyDropped(owner, share(drag.x, gtk_widget_get_allocated_width(widget)), share(drag.y, gtk_widget_get_allocated_height(widget)), got->kind,
                  got->type, got->data, got->length);
    gtk_drag_finish(drag.context, got->kind != 0, FALSE, drag.time);
    g_clear_object(&drag.context);
}

static void ask_next(GtkWidget *widget) {
    if (drag.grab.at < drag.grab.count) {
        gtk_drag_get_data(widget, drag.context, drag.grab.wanted[drag.grab.at].target, drag.time);
        return;
    }
    struct got nothing = {0};
    tell_drop(widget, &nothing);
}

static gboolean on_drop(GtkWidget *widget, GdkDragContext *context, gint x, gint y, guint time, gpointer data) {
    (void)data;
    if (context != drag.context)
        return FALSE;
    drag.x = x;
    drag.y = y;
    drag.time = time;
    drag.dropped = TRUE;
    drag.over = FALSE;
    drag.grab = (struct grab){0};
    GArray *targets = g_array_new(FALSE, FALSE, sizeof(GdkAtom));
    for (GList *l = gdk_drag_context_list_targets(context); l != NULL; l = l->next) {
        GdkAtom target = GDK_POINTER_TO_ATOM(l->data);
        g_array_append_val(targets, target);
    }
    choose(&drag.grab, (GdkAtom *)(void *)targets->data, (int)targets->len, TRUE);
    g_array_free(targets, TRUE);
    ask_next(widget);
    return TRUE;
}

static void on_received(GtkWidget *widget, GdkDragContext *context, gint x, gint y, GtkSelectionData *answer, guint info, guint time, gpointer data) {
    (void)x, (void)y, (void)info, (void)time, (void)data;
    if (context != drag.context || !drag.dropped)
        return;
    g_signal_stop_emission_by_name(widget, "drag-data-received");
    struct got got;
    if (!take(&drag.grab.wanted[drag.grab.at], answer, &got)) {
        drag.grab.at++;
        ask_next(widget);
        return;
    }
    tell_drop(widget, &got);
    release(&got);
}

static gboolean accept_drag(gpointer data) {
    gboolean may = GPOINTER_TO_INT(data) != 0;
    if (drag.over && may != drag.may) {
        drag.may = may;
        answer();
    }
    return G_SOURCE_REMOVE;
}

void parley_accept_drag(int may) { g_idle_add(accept_drag, GINT_TO_POINTER(may)); }

/* GTK hands over nothing that is not listed. */
static void list(GtkTargetList *targets, const char *const *names) {
    for (; *names != NULL; names++)
        if (!gtk_target_list_find(targets, gdk_atom_intern(*names, FALSE), NULL))
            gtk_target_list_add(targets, gdk_atom_intern(*names, FALSE), 0, not_webkits);
}

void parley_clip_follow(void *widget, uintptr_t window) {
    view = widget;
    owner = window;
    g_object_add_weak_pointer(G_OBJECT(view), (gpointer *)(void *)&view);
    gpointer data = (gpointer)window;
    g_signal_connect(view, "key-press-event", G_CALLBACK(on_key), data);
    g_signal_connect(view, "permission-request", G_CALLBACK(on_permission), NULL);
    GtkTargetList *targets = gtk_drag_dest_get_target_list(view);
    if (targets != NULL) {
        list(targets, files);
        list(targets, pictures);
    }
    /* Before WebKit's own, which come after the others. */
    g_signal_connect(view, "drag-motion", G_CALLBACK(on_motion), data);
    g_signal_connect(view, "drag-leave", G_CALLBACK(on_leave), data);
    g_signal_connect(view, "drag-drop", G_CALLBACK(on_drop), data);
    g_signal_connect(view, "drag-data-received", G_CALLBACK(on_received), data);
}
