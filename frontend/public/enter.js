// Takes the key (#token=…) out of the address before anything else runs, and loads the
// page anew: what it was opened with would stay in the browser's records of it.
(() => {
  function enter(event) {
    if (!location.hash.startsWith("#token=")) return;
    try {
      sessionStorage.setItem("parley.link", location.hash);
    } catch {
      // Nothing can be kept: the page takes the key from the address.
      if (event) location.reload();
      return;
    }
    // As a whole: of "//host/" alone the browser would make another site.
    history.replaceState(null, "", location.href.slice(0, location.href.indexOf("#")));
    location.replace(location.href);
  }
  enter();
  // A new link in the same tab changes nothing but the fragment.
  addEventListener("hashchange", enter);
})();
