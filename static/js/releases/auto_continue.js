// The page that moves many conversations to another release, some at a time: it sends its form again until none is
// left.
document.querySelector("[data-go-on]")?.requestSubmit();
