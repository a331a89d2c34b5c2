//go:build desktop

#include "view_linux.h"

#include <gtk/gtk.h>
#include <string.h>
#include <webkit2/webkit2.h>

/* Exported from view_linux.go. */
extern int parleyPageDied(uintptr_t window, char *reason);
extern void parleyPageStuck(uintptr_t window, int responsive);
extern void parleyLinkOpened(uintptr_t window, char *link);

static const char *const home = "wails://wails/";

struct attach {
    uintptr_t window;
    int positioned, x, y;
};

int parley_display_available(void) { return gtk_init_check(NULL, NULL); }

/* The page may load itself and nothing else. What a person clicked goes to the
 * system's browser; what a script tried goes nowhere. */
static gboolean on_decide(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
    (void)view;
    if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE)
        return FALSE;
    WebKitNavigationAction *action =
        webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
    if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && g_str_has_prefix(uri, home))
        return FALSE;
    webkit_policy_decision_ignore(decision);
    if (webkit_navigation_action_is_user_gesture(action))
        parleyLinkOpened((uintptr_t)data, (char *)uri);
    return TRUE;
}

static const char *reason_of(WebKitWebProcessTerminationReason reason) {
    switch (reason) {
    case WEBKIT_WEB_PROCESS_CRASHED:
        return "crashed";
    case WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT:
        return "too much memory";
    default:
        return "ended";
    }
}

static void on_terminated(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer data) {
    if (reason == WEBKIT_WEB_PROCESS_TERMINATED_BY_API)
        return; /* by renew below, which goes on itself */
    if (parleyPageDied((uintptr_t)data, (char *)reason_of(reason)))
        webkit_web_view_load_uri(view, home);
}

static void on_responsive(WebKitWebView *view, GParamSpec *spec, gpointer data) {
    (void)spec;
    parleyPageStuck((uintptr_t)data, webkit_web_view_get_is_web_process_responsive(view));
}

static WebKitWebView *find_view(GtkWidget *widget) {
    if (WEBKIT_IS_WEB_VIEW(widget))
        return WEBKIT_WEB_VIEW(widget);
    if (!GTK_IS_CONTAINER(widget))
        return NULL;
    WebKitWebView *found = NULL;
    GList *children = gtk_container_get_children(GTK_CONTAINER(widget));
    for (GList *c = children; c != NULL && found == NULL; c = c->next)
        found = find_view(GTK_WIDGET(c->data));
    g_list_free(children);
    return found;
}

/* The window with the page, and its page; NULL for none. */
static GtkWindow *find_window(WebKitWebView **view) {
    GtkWindow *found = NULL;
    GList *windows = gtk_window_list_toplevels();
    for (GList *w = windows; w != NULL && found == NULL; w = w->next)
        if ((*view = find_view(GTK_WIDGET(w->data))) != NULL)
            found = GTK_WINDOW(w->data);
    g_list_free(windows);
    return found;
}

/* Only where a screen is. */
static void place(GtkWindow *window, int x, int y) {
    GdkDisplay *display = gtk_widget_get_display(GTK_WIDGET(window));
    for (int i = 0; i < gdk_display_get_n_monitors(display); i++) {
        GdkRectangle area;
        gdk_monitor_get_workarea(gdk_display_get_monitor(display, i), &area);
        if (x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height) {
            gtk_window_move(window, x, y);
            return;
        }
    }
}

static gboolean attach(gpointer data) {
    struct attach *a = data;
    WebKitWebView *view;
    GtkWindow *window = find_window(&view);
    if (window != NULL) {
        g_signal_connect(view, "decide-policy", G_CALLBACK(on_decide), (gpointer)a->window);
        g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_terminated), (gpointer)a->window);
        g_signal_connect(view, "notify::is-web-process-responsive", G_CALLBACK(on_responsive), (gpointer)a->window);
        if (a->positioned)
            place(window, a->x, a->y);
    }
    g_free(a);
    return G_SOURCE_REMOVE;
}

void parley_attach_view(uintptr_t window, int positioned, int x, int y) {
    struct attach *a = g_new(struct attach, 1);
    a->window = window;
    a->positioned = positioned;
    a->x = x;
    a->y = y;
    /* After everything that Wails queues before its main loop, its centring of the
     * window included. */
    g_idle_add_full(G_PRIORITY_LOW, attach, a, NULL);
}

static gboolean mark(gpointer data) {
    WebKitWebView *view;
    GtkWindow *window = find_window(&view);
    if (window != NULL)
        gtk_window_set_urgency_hint(window, GPOINTER_TO_INT(data));
    return G_SOURCE_REMOVE;
}

static gboolean renew(gpointer data) {
    (void)data;
    WebKitWebView *view;
    if (find_window(&view) != NULL) {
        webkit_web_view_terminate_web_process(view);
        webkit_web_view_load_uri(view, home);
    }
    return G_SOURCE_REMOVE;
}

struct point {
    int x, y;
};

static gboolean move(gpointer data) {
    struct point *to = data;
    WebKitWebView *view;
    GtkWindow *window = find_window(&view);
    if (window != NULL)
        place(window, to->x, to->y);
    g_free(to);
    return G_SOURCE_REMOVE;
}

/* GTK is for the main loop's thread only. */
void parley_mark_urgent(int on) { g_idle_add(mark, GINT_TO_POINTER(on)); }

void parley_renew_page(void) { g_idle_add(renew, NULL); }

void parley_place(int x, int y) {
    struct point *to = g_new(struct point, 1);
    to->x = x;
    to->y = y;
    g_idle_add(move, to);
}
