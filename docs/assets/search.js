// The search reads "--retries" as "pages without retries": it gets options without their dashes.
document$.subscribe(() => {
  const input = document.querySelector('input[name="query"]');
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  Object.defineProperty(input, "value", {
    configurable: true,
    get() { return get.call(this).replace(/(^|\s)-+/g, "$1"); },
    set(text) { set.call(this, text); },
  });
});
