//go:build desktop

#include "menu_linux.h"
#include "clip_linux.h"

#include <string.h>

/* Exported from menu_linux.go. */
extern void parleyMenuMessage(uintptr_t window, char *message);
extern void parleyMenuChosen(uintptr_t window, char *id);

/* There is one window in the life of a process. */
static uintptr_t window;
static WebKitWebView *view;

struct entry {
    char *id, *label;
    gboolean enabled;
};

/* What the page said lies under the pointer; NULL once it was shown. */
static GPtrArray *entries;
/* Whether the clipboard has something to paste. */
static gboolean pasteable;

static const struct {
    const char *id, *command;
} editing[] = {
    {"undo", WEBKIT_EDITING_COMMAND_UNDO},   {"redo", WEBKIT_EDITING_COMMAND_REDO},
    {"cut", WEBKIT_EDITING_COMMAND_CUT},     {"copy", WEBKIT_EDITING_COMMAND_COPY},
    {"paste", WEBKIT_EDITING_COMMAND_PASTE}, {"selectAll", WEBKIT_EDITING_COMMAND_SELECT_ALL},
};

const char *parley_editing_command(const char *id) {
    for (size_t i = 0; i < G_N_ELEMENTS(editing); i++)
        if (strcmp(editing[i].id, id) == 0)
            return editing[i].command;
    return NULL;
}

gboolean parley_can_paste(void) { return pasteable; }

void parley_choose(const char *id) {
    const char *command = parley_editing_command(id);
    if (strcmp(id, "paste") == 0)
        parley_paste(); /* also pictures and files, which WebKit does not hand over */
    else if (command != NULL)
        webkit_web_view_execute_editing_command(view, command);
    else
        parleyMenuChosen(window, (char *)id);
}

static void free_entry(gpointer data) {
    struct entry *e = data;
    g_free(e->id);
    g_free(e->label);
    g_free(e);
}

void parley_context_clear(void) {
    g_clear_pointer(&entries, g_ptr_array_unref);
    entries = g_ptr_array_new_with_free_func(free_entry);
}

void parley_context_add(const char *id, const char *label, int enabled) {
    struct entry *e = g_new(struct entry, 1);
    e->id = g_strdup(id);
    e->label = g_strdup(label);
    e->enabled = enabled;
    g_ptr_array_add(entries, e);
}

static void on_chosen(GSimpleAction *action, GVariant *parameter, gpointer id) {
    (void)action;
    (void)parameter;
    parley_choose(id);
}

static void free_id(gpointer id, GClosure *closure) {
    (void)closure;
    g_free(id);
}

static const guint max_guesses = 6;

static WebKitContextMenuItem *item_of(const struct entry *e, guint number) {
    g_autofree char *name = g_strdup_printf("parley-%u", number);
    GSimpleAction *action = g_simple_action_new(name, NULL);
    g_simple_action_set_enabled(action, e->enabled && (strcmp(e->id, "paste") != 0 || pasteable));
    g_signal_connect_data(action, "activate", G_CALLBACK(on_chosen), g_strdup(e->id), free_id, 0);
    WebKitContextMenuItem *item = webkit_context_menu_item_new_from_gaction(G_ACTION(action), e->label, NULL);
    g_object_unref(action);
    return item;
}

/* What WebKit does itself, where it offers that. */
static const struct {
    const char *id;
    WebKitContextMenuAction action;
} own[] = {
    {"spelling", WEBKIT_CONTEXT_MENU_ACTION_SPELLING_GUESS},
    {"ignoreSpelling", WEBKIT_CONTEXT_MENU_ACTION_IGNORE_SPELLING},
    {"learnSpelling", WEBKIT_CONTEXT_MENU_ACTION_LEARN_SPELLING},
    {"copyImage", WEBKIT_CONTEXT_MENU_ACTION_COPY_IMAGE_TO_CLIPBOARD},
};

static WebKitContextMenuAction own_action(const char *id) {
    for (size_t i = 0; i < G_N_ELEMENTS(own); i++)
        if (strcmp(own[i].id, id) == 0)
            return own[i].action;
    return WEBKIT_CONTEXT_MENU_ACTION_NO_ACTION;
}

/* A line only between entries. */
static void append(WebKitContextMenu *menu, WebKitContextMenuItem *item, gboolean *line) {
    if (*line)
        webkit_context_menu_append(menu, webkit_context_menu_item_new_separator());
    *line = FALSE;
    webkit_context_menu_append(menu, item);
}

/* Appends what WebKit offers for an entry: with the page's words, or the suggestions
 * as they are. */
static void append_own(WebKitContextMenu *menu, GList *offers, WebKitContextMenuAction action, const char *label, gboolean *line) {
    guint left = *label == '\0' ? max_guesses : 1;
    for (GList *o = offers; o != NULL && left > 0; o = o->next) {
        WebKitContextMenuItem *item = o->data;
        if (webkit_context_menu_item_get_stock_action(item) != action || !g_action_get_enabled(webkit_context_menu_item_get_gaction(item)))
            continue;
        append(menu, *label == '\0' ? item : webkit_context_menu_item_new_from_stock_action_with_label(action, label), line);
        left--;
    }
}

/* Puts in place of WebKit's own menu what the page offers. */
static gboolean on_context(WebKitWebView *from, WebKitContextMenu *menu, GdkEvent *event, WebKitHitTestResult *hit, gpointer data) {
    (void)from;
    (void)event;
    (void)hit;
    (void)data;
    g_autoptr(GPtrArray) shown = g_steal_pointer(&entries);
    GList *offers = g_list_copy_deep(webkit_context_menu_get_items(menu), (GCopyFunc)g_object_ref, NULL);
    webkit_context_menu_remove_all(menu);
    gboolean line = FALSE;
    for (guint i = 0; shown != NULL && i < shown->len; i++) {
        const struct entry *e = shown->pdata[i];
        WebKitContextMenuAction action = own_action(e->id);
        if (*e->id == '\0')
            line = webkit_context_menu_get_n_items(menu) > 0;
        else if (action != WEBKIT_CONTEXT_MENU_ACTION_NO_ACTION)
            append_own(menu, offers, action, e->label, &line);
        else
            append(menu, item_of(e, i), &line);
    }
    g_list_free_full(offers, g_object_unref);
    return webkit_context_menu_get_n_items(menu) == 0;
}

static void on_message(WebKitUserContentManager *manager, WebKitJavascriptResult *result, gpointer data) {
    (void)manager;
    (void)data;
    g_autofree char *message = jsc_value_to_string(webkit_javascript_result_get_js_value(result));
    parleyMenuMessage(window, message);
}

static void on_targets(GtkClipboard *clipboard, GdkAtom *targets, gint count, gpointer data) {
    (void)clipboard;
    (void)data;
    pasteable = targets != NULL && count > 0 &&
                (gtk_targets_include_text(targets, count) || gtk_targets_include_image(targets, count, FALSE) || gtk_targets_include_uri(targets, count));
}

static void on_owner(GtkClipboard *clipboard, GdkEvent *event, gpointer data) {
    (void)event;
    (void)data;
    gtk_clipboard_request_targets(clipboard, on_targets, NULL);
}

/* In milliseconds. */
#define SPELLING_AFTER 1500

/* The person's languages, by the system. What has no dictionary here is left out by WebKit, which
   reads the dictionaries at once: that would delay the window. */
static gboolean check_spelling(gpointer to) {
    WebKitWebContext *context = to;
    g_autoptr(GPtrArray) languages = g_ptr_array_new();
    for (const char *const *l = g_get_language_names(); *l != NULL; l++)
        if (strpbrk(*l, ".@") == NULL && strchr(*l, '_') != NULL)
            g_ptr_array_add(languages, (gpointer)*l);
    if (languages->len == 0)
        g_ptr_array_add(languages, (gpointer)"en_US");
    g_ptr_array_add(languages, NULL);
    webkit_web_context_set_spell_checking_languages(context, (const char *const *)languages->pdata);
    webkit_web_context_set_spell_checking_enabled(context, TRUE);
    return G_SOURCE_REMOVE;
}

void parley_attach_context_menu(uintptr_t handle, WebKitWebView *to) {
    window = handle;
    view = to;
    /* Wails has one that shows no menu. */
    g_signal_handlers_disconnect_matched(view, G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_DATA, g_signal_lookup("context-menu", WEBKIT_TYPE_WEB_VIEW), 0, NULL, NULL, NULL);
    g_signal_connect(view, "context-menu", G_CALLBACK(on_context), NULL);
    WebKitUserContentManager *manager = webkit_web_view_get_user_content_manager(view);
    g_signal_connect(manager, "script-message-received::parleyMenus", G_CALLBACK(on_message), NULL);
    webkit_user_content_manager_register_script_message_handler(manager, "parleyMenus");
    GtkClipboard *clipboard = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
    g_signal_connect(clipboard, "owner-change", G_CALLBACK(on_owner), NULL);
    on_owner(clipboard, NULL, NULL);
    g_timeout_add_full(G_PRIORITY_LOW, SPELLING_AFTER, check_spelling, g_object_ref(webkit_web_view_get_context(view)), g_object_unref);
}
