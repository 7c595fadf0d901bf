// Many conversations are moved some at a time: the page goes on by itself until none is left, and says how far it is.
document.querySelector("[data-go-on]")?.requestSubmit();
