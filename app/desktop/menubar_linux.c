//go:build desktop

#include "menu_linux.h"

#include <string.h>

/* In contextmenu_linux.c. */
extern const char *parley_editing_command(const char *id);
extern gboolean parley_can_paste(void);
extern void parley_choose(const char *id);
extern void parley_attach_context_menu(uintptr_t handle, WebKitWebView *view);

/* Exported from menu_linux.go. */
extern void parleyMenuOpened(uintptr_t window, int open);

static uintptr_t window;
static GtkWindow *top;
static WebKitWebView *view;
static GtkWidget *bar;
/* The entries by their id. */
static GHashTable *items;
/* Only to say which keys an entry has: the page itself listens for them. */
static GtkAccelGroup *keys_of_page;
/* The menus that are being made, the innermost first. */
static GSList *open_menus;
static gboolean always, updating;
/* Alt is down, and nothing else was pressed since. */
static gboolean alone;

static void on_activate(GtkMenuItem *item, gpointer id) {
    if (updating)
        return;
    if (GTK_IS_CHECK_MENU_ITEM(item)) {
        /* The page says what it is from now on. */
        updating = TRUE;
        gtk_check_menu_item_set_active(GTK_CHECK_MENU_ITEM(item), !gtk_check_menu_item_get_active(GTK_CHECK_MENU_ITEM(item)));
        updating = FALSE;
    }
    parley_choose(id);
}

static void free_id(gpointer id, GClosure *closure) {
    (void)closure;
    g_free(id);
}

/* Which of the editing entries do something is known to WebKit. */
static void on_possible(GObject *from, GAsyncResult *result, gpointer id) {
    gboolean can = webkit_web_view_can_execute_editing_command_finish(WEBKIT_WEB_VIEW(from), result, NULL);
    GtkWidget *item = items != NULL ? g_hash_table_lookup(items, id) : NULL;
    if (item != NULL)
        gtk_widget_set_sensitive(item, can && (strcmp(id, "paste") != 0 || parley_can_paste()));
    g_free(id);
}

static void ask_possible(gpointer id, gpointer item, gpointer data) {
    (void)item;
    (void)data;
    const char *command = parley_editing_command(id);
    if (command != NULL)
        webkit_web_view_can_execute_editing_command(view, command, NULL, on_possible, g_strdup(id));
}

static void on_open(GtkMenuItem *item, gpointer data) {
    (void)item;
    (void)data;
    g_hash_table_foreach(items, ask_possible, NULL);
    parleyMenuOpened(window, TRUE);
}

static gboolean hide_again(gpointer data) {
    (void)data;
    if (bar != NULL && !always)
        gtk_widget_hide(bar);
    return G_SOURCE_REMOVE;
}

static void on_deactivate(GtkMenuShell *shell, gpointer data) {
    (void)shell;
    (void)data;
    /* What was chosen comes after this. */
    g_idle_add(hide_again, NULL);
    parleyMenuOpened(window, FALSE);
}

static GtkWidget *label_of(GtkWidget *item, const char *words) {
    GtkWidget *label = gtk_label_new_with_mnemonic(words);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_mnemonic_widget(GTK_LABEL(label), item);
    return label;
}

/* A label that nobody sees: GTK tells assistive programs the keys of an item's first
 * label, if that is of this kind. */
static GtkWidget *keys_label_of(GtkWidget *item, const char *words) {
    GtkWidget *label = gtk_accel_label_new("");
    gtk_label_set_text_with_mnemonic(GTK_LABEL(label), words);
    gtk_accel_label_set_accel_widget(GTK_ACCEL_LABEL(label), item);
    gtk_widget_set_no_show_all(label, TRUE);
    return label;
}

void parley_bar_begin(void) {
    if (bar != NULL)
        gtk_widget_destroy(bar);
    g_clear_pointer(&items, g_hash_table_unref);
    items = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (keys_of_page == NULL)
        keys_of_page = gtk_accel_group_new();
    bar = gtk_menu_bar_new();
    gtk_widget_set_no_show_all(bar, TRUE);
    g_signal_connect(bar, "deactivate", G_CALLBACK(on_deactivate), NULL);
    g_signal_connect(bar, "destroy", G_CALLBACK(gtk_widget_destroyed), &bar);
    open_menus = g_slist_prepend(NULL, bar);
}

static void append(GtkWidget *item) {
    gtk_menu_shell_append(GTK_MENU_SHELL(open_menus->data), item);
    gtk_widget_show_all(item);
}

void parley_bar_down(const char *label) {
    GtkWidget *item = gtk_menu_item_new_with_mnemonic(label), *menu = gtk_menu_new();
    gtk_menu_item_set_submenu(GTK_MENU_ITEM(item), menu);
    if (open_menus->next == NULL)
        g_signal_connect(item, "select", G_CALLBACK(on_open), NULL);
    append(item);
    open_menus = g_slist_prepend(open_menus, menu);
}

void parley_bar_up(void) { open_menus = g_slist_delete_link(open_menus, open_menus); }

void parley_bar_line(void) { append(gtk_separator_menu_item_new()); }

void parley_bar_item(const char *id, const char *label, const char *keys, const char *accelerator, int kind) {
    GtkWidget *item = kind == PARLEY_PLAIN ? gtk_menu_item_new() : gtk_check_menu_item_new();
    if (kind == PARLEY_RADIO) {
        gtk_check_menu_item_set_draw_as_radio(GTK_CHECK_MENU_ITEM(item), TRUE);
        atk_object_set_role(gtk_widget_get_accessible(item), ATK_ROLE_RADIO_MENU_ITEM);
    }
    /* GTK would name the keys in the system's language. */
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 24), *words = label_of(item, label), *shown = gtk_label_new(keys);
    gtk_style_context_add_class(gtk_widget_get_style_context(shown), "accelerator");
    gtk_box_pack_start(GTK_BOX(row), keys_label_of(item, label), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(row), words, TRUE, TRUE, 0);
    gtk_box_pack_end(GTK_BOX(row), shown, FALSE, FALSE, 0);
    gtk_container_add(GTK_CONTAINER(item), row);
    atk_object_set_name(gtk_widget_get_accessible(item), gtk_label_get_text(GTK_LABEL(words)));
    guint key;
    GdkModifierType modifiers;
    gtk_accelerator_parse(accelerator, &key, &modifiers);
    if (key != 0)
        gtk_widget_add_accelerator(item, "activate", keys_of_page, key, modifiers, 0);
    g_signal_connect_data(item, "activate", G_CALLBACK(on_activate), g_strdup(id), free_id, 0);
    g_hash_table_insert(items, g_strdup(id), item);
    append(item);
}

void parley_bar_end(void) {
    g_slist_free(g_steal_pointer(&open_menus));
    GtkWidget *box = gtk_bin_get_child(GTK_BIN(top));
    gtk_box_pack_start(GTK_BOX(box), bar, FALSE, FALSE, 0);
    gtk_box_reorder_child(GTK_BOX(box), bar, 0);
    gtk_widget_set_visible(bar, always);
}

void parley_bar_state(const char *id, int enabled, int checked) {
    GtkWidget *item = items != NULL ? g_hash_table_lookup(items, id) : NULL;
    if (item == NULL)
        return;
    /* Of those WebKit knows. */
    if (parley_editing_command(id) == NULL)
        gtk_widget_set_sensitive(item, enabled);
    if (GTK_IS_CHECK_MENU_ITEM(item)) {
        updating = TRUE;
        gtk_check_menu_item_set_active(GTK_CHECK_MENU_ITEM(item), checked);
        updating = FALSE;
    }
}

void parley_bar_shown(int shown) {
    always = shown;
    if (bar != NULL && (shown || gtk_menu_shell_get_selected_item(GTK_MENU_SHELL(bar)) == NULL))
        gtk_widget_set_visible(bar, shown);
}

void parley_menu_style(const char *css) {
    static GtkCssProvider *provider;
    if (provider == NULL) {
        provider = gtk_css_provider_new();
        gtk_style_context_add_provider_for_screen(gdk_screen_get_default(), GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    }
    gtk_css_provider_load_from_data(provider, css, -1, NULL);
}

/* Whether Alt and this key open a menu of the bar. */
static gboolean opens_menu(const GdkEventKey *event) {
    gboolean found = FALSE;
    GList *menus = gtk_container_get_children(GTK_CONTAINER(bar));
    for (GList *m = menus; m != NULL && !found; m = m->next)
        found = gtk_label_get_mnemonic_keyval(GTK_LABEL(gtk_bin_get_child(GTK_BIN(m->data)))) == gdk_keyval_to_lower(event->keyval);
    g_list_free(menus);
    return found;
}

static gboolean is_alt(guint key) { return key == GDK_KEY_Alt_L || key == GDK_KEY_Meta_L; }

/* Shows a bar that is hidden when GTK is about to open it. */
static gboolean on_press(GtkWidget *widget, GdkEventKey *event, gpointer data) {
    (void)widget;
    (void)data;
    guint held = event->state & gtk_accelerator_get_default_mod_mask();
    alone = is_alt(event->keyval) && held == 0;
    if (bar != NULL && ((event->keyval == GDK_KEY_F10 && held == 0) || (held == GDK_MOD1_MASK && opens_menu(event))))
        gtk_widget_show(bar);
    return FALSE;
}

static gboolean on_release(GtkWidget *widget, GdkEventKey *event, gpointer data) {
    (void)data;
    if (!alone || !is_alt(event->keyval) || bar == NULL)
        return FALSE;
    alone = FALSE;
    /* GTK opens a bar for F10, and for no other key. */
    GdkEvent *press = gdk_event_copy((GdkEvent *)event);
    press->key.type = GDK_KEY_PRESS;
    press->key.keyval = GDK_KEY_F10;
    press->key.state = 0;
    gboolean handled;
    g_signal_emit_by_name(widget, "key-press-event", press, &handled);
    gdk_event_free(press);
    return TRUE;
}

static gboolean on_other(GtkWidget *widget, GdkEvent *event, gpointer data) {
    (void)widget;
    (void)event;
    (void)data;
    alone = FALSE;
    return FALSE;
}

void parley_attach_menus(uintptr_t handle, GtkWindow *to, WebKitWebView *page) {
    window = handle;
    top = to;
    view = page;
    g_signal_connect(top, "key-press-event", G_CALLBACK(on_press), NULL);
    g_signal_connect(top, "key-release-event", G_CALLBACK(on_release), NULL);
    g_signal_connect(top, "focus-out-event", G_CALLBACK(on_other), NULL);
    g_signal_connect(page, "button-press-event", G_CALLBACK(on_other), NULL);
    parley_attach_context_menu(handle, page);
}
