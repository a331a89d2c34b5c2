//go:build desktop && e2e

/* Lets WebKitWebDriver drive the window. A web view takes part in automation only
 * when it is made with a property that Wails does not set, so this file defines
 * the function that Wails makes its view with: the program's own definition wins
 * over the library's. It acts only where PARLEY_E2E_AUTOMATION is set. */

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

static WebKitWebView *on_create(WebKitAutomationSession *session, gpointer view) {
    (void)session;
    return WEBKIT_WEB_VIEW(view);
}

static void on_started(WebKitWebContext *context, WebKitAutomationSession *session, gpointer view) {
    (void)context;
    WebKitApplicationInfo *info = webkit_application_info_new();
    webkit_application_info_set_name(info, "parley");
    webkit_application_info_set_version(info, 1, 0, 0);
    webkit_automation_session_set_application_info(session, info);
    webkit_application_info_unref(info);
    g_signal_connect(session, "create-web-view", G_CALLBACK(on_create), view);
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *manager) {
    gboolean automated = g_getenv("PARLEY_E2E_AUTOMATION") != NULL;
    GtkWidget *view = GTK_WIDGET(g_object_new(WEBKIT_TYPE_WEB_VIEW, "user-content-manager", manager,
                                              "is-controlled-by-automation", automated, NULL));
    if (automated) {
        WebKitWebContext *context = webkit_web_context_get_default();
        webkit_web_context_set_automation_allowed(context, TRUE);
        g_signal_connect(context, "automation-started", G_CALLBACK(on_started), view);
    }
    return view;
}
