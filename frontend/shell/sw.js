// Says on an installed page that Parley cannot be reached. It keeps the page for that and
// nothing else: no answer of Parley's, no conversation, and no part of the program.

const kept = "parley-shell-VERSION";
const offline = ["/offline.html", "/offline.css"];

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(kept).then((cache) => cache.addAll(offline.map((path) => new Request(path, { cache: "reload" })))));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith("parley-shell-") && name !== kept).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match(offline[0])));
  } else if (new URL(request.url).pathname === offline[1]) {
    event.respondWith(caches.match(offline[1]).then((found) => found ?? fetch(request)));
  }
});
