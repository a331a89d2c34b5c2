//go:build desktop

#include "view_linux.h"
#include "clip_linux.h"
#include "menu_linux.h"

#include <gtk/gtk.h>
#include <string.h>
#include <webkit2/webkit2.h>

/* Exported from view_linux.go. */
extern int parleyPageDied(uintptr_t window, char *reason);
extern void parleyPageLoads(uintptr_t window);
extern void parleyPageStuck(uintptr_t window, int responsive);
extern void parleyLinkOpened(uintptr_t window, char *link);
extern void parleyPageCovered(uintptr_t window, int covered);
extern int parleyMayPass(char *message);

static const char *const home = "wails://wails/";

struct attach {
    uintptr_t window;
    int least_width, least_height;
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

/* Of the page itself: frames in it load without a word here. */
static void on_load(WebKitWebView *view, WebKitLoadEvent event, gpointer data) {
    (void)view;
    if (event == WEBKIT_LOAD_STARTED)
        parleyPageLoads((uintptr_t)data);
}

static void on_responsive(WebKitWebView *view, GParamSpec *spec, gpointer data) {
    (void)spec;
    parleyPageStuck((uintptr_t)data, webkit_web_view_get_is_web_process_responsive(view));
}

/* Under a window manager that composes the screen itself no window counts as covered. */
static gboolean on_visibility(GtkWidget *widget, GdkEventVisibility *event, gpointer data) {
    (void)widget;
    parleyPageCovered((uintptr_t)data, event->state == GDK_VISIBILITY_FULLY_OBSCURED);
    return FALSE;
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

/* What the page says to Wails comes here instead, and goes on to where Wails listens when
 * the page may say it. */
static struct {
    guint signal;
    GQuark detail;
    gulong wails, own;
} guarded;

static void on_message(WebKitUserContentManager *manager, WebKitJavascriptResult *result, gpointer data) {
    (void)data;
    g_autofree char *message = jsc_value_to_string(webkit_javascript_result_get_js_value(result));
    if (message == NULL || !parleyMayPass(message))
        return;
    g_signal_handler_block(manager, guarded.own);
    g_signal_handler_unblock(manager, guarded.wails);
    g_signal_emit(manager, guarded.signal, guarded.detail, result);
    g_signal_handler_block(manager, guarded.wails);
    g_signal_handler_unblock(manager, guarded.own);
}

static gboolean guard(gpointer data) {
    (void)data;
    WebKitWebView *view;
    if (find_window(&view) == NULL)
        return G_SOURCE_REMOVE;
    WebKitUserContentManager *manager = webkit_web_view_get_user_content_manager(view);
    guarded.signal = g_signal_lookup("script-message-received", WEBKIT_TYPE_USER_CONTENT_MANAGER);
    guarded.detail = g_quark_from_static_string("external");
    guarded.wails = g_signal_handler_find(manager, G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_DETAIL, guarded.signal, guarded.detail, NULL, NULL, NULL);
    if (guarded.wails == 0)
        g_error("Wails does not listen to its page as it did");
    g_signal_handler_block(manager, guarded.wails);
    guarded.own = g_signal_connect(manager, "script-message-received::external", G_CALLBACK(on_message), NULL);
    return G_SOURCE_REMOVE;
}

static gboolean attach(gpointer data) {
    struct attach *a = data;
    WebKitWebView *view;
    GtkWindow *window = find_window(&view);
    if (window != NULL) {
        g_signal_connect(view, "decide-policy", G_CALLBACK(on_decide), (gpointer)a->window);
        g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_terminated), (gpointer)a->window);
        g_signal_connect(view, "load-changed", G_CALLBACK(on_load), (gpointer)a->window);
        g_signal_connect(view, "notify::is-web-process-responsive", G_CALLBACK(on_responsive), (gpointer)a->window);
        gtk_widget_add_events(GTK_WIDGET(window), GDK_VISIBILITY_NOTIFY_MASK);
        g_signal_connect(window, "visibility-notify-event", G_CALLBACK(on_visibility), (gpointer)a->window);
        parley_clip_follow(view, a->window);
        parley_attach_menus(a->window, window, view);
        parley_follow_place(a->window, window, a->least_width, a->least_height);
    }
    g_free(a);
    return G_SOURCE_REMOVE;
}

void parley_attach_view(uintptr_t window, int least_width, int least_height) {
    struct attach *a = g_new(struct attach, 1);
    a->window = window;
    a->least_width = least_width;
    a->least_height = least_height;
    /* Before anything that the page says. */
    g_idle_add_full(G_PRIORITY_HIGH, guard, NULL, NULL);
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

/* Each dialog has a loop of its own, from which the main loop's end is not seen. One may
 * bring up the next. */
static gboolean end_dialogs(gpointer data) {
    (void)data;
    GList *windows = gtk_window_list_toplevels();
    g_list_foreach(windows, (GFunc)g_object_ref, NULL);
    for (GList *w = windows; w != NULL; w = w->next)
        if (GTK_IS_DIALOG(w->data) && gtk_widget_get_visible(GTK_WIDGET(w->data)))
            gtk_dialog_response(GTK_DIALOG(w->data), GTK_RESPONSE_DELETE_EVENT);
    g_list_free_full(windows, g_object_unref);
    return G_SOURCE_CONTINUE;
}

/* GTK is for the main loop's thread only. */
void parley_mark_urgent(int on) { g_idle_add(mark, GINT_TO_POINTER(on)); }

void parley_renew_page(void) { g_idle_add(renew, NULL); }

void parley_end_dialogs(void) { g_timeout_add(50, end_dialogs, NULL); }
