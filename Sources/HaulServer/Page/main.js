// The page: creates its parts and connects them.

import { askForToken } from "./access.js";
import { Actions } from "./actions.js";
import { announce, tell, tellError } from "./announce.js";
import { api, takeToken } from "./api.js";
import { Details } from "./details.js";
import { button, byID, setText } from "./dom.js";
import { listenForLinks, listenToDrags } from "./drag.js";
import { Events } from "./events.js";
import { count } from "./format.js";
import { openForm } from "./form.js";
import { VIEWS } from "./filter.js";
import { openLimits } from "./limits.js";
import { List } from "./list.js";
import { listenInList } from "./listkeys.js";
import { Selection } from "./selection.js";
import { listenEverywhere, openHelp } from "./shortcuts.js";
import { Store } from "./store.js";
import { Sync } from "./sync.js";
import { Total } from "./total.js";
import { pauseOrResume } from "./verbs.js";
import { Choice, Views } from "./views.js";
import { errorText, stateWord } from "./words.js";

takeToken();

const store = new Store((work) => (document.hidden ? setTimeout(work, 500) : requestAnimationFrame(work)));
const selection = new Selection();
const list = new List(byID("list"), store, selection);
const actions = new Actions(store);
const total = new Total();
let isComplete = false;
let info;

const details = new Details(byID("details"), store, actions, (id) => {
    list.opened = id;
    if (id === undefined && selection.current !== undefined) list.stand(selection.current);
    else list.render();
});
const views = new Views(() => {
    list.scroller.scrollTop = 0;
    arrange();
    announce(`${count(list.shown.length, "download")} shown`);
});
const choice = new Choice({
    run: (verb) => actions.run(verb, selection.subject),
    move: (where) => actions.move(where, selection.subject, list.shown),
    clear: () => clearSelection(),
});

function arrange() {
    list.arrange(views.view, views.search);
    list.say(views.emptyWords(isComplete));
    views.count(store.counts);
    if (views.view.id === "failed" || !byID("reasons").hidden) {
        views.explain(store.order.map((id) => store.get(id)).filter((download) => download.state === "failed"));
    }
    choice.show([...selection.ids], store, list.isOrdered);
}

function clearSelection() {
    selection.clear();
    chosen();
}

function chosen() {
    list.render();
    choice.show([...selection.ids], store, list.isOrdered);
}

store.listen(({ changed, isReordered }) => {
    if (isReordered) arrange();
    else list.update(changed);
    if (details.isOpen && (isReordered || changed.has(details.id))) details.show();
});

// The message that the list could not be read, until it can be.
let unread;
const sync = new Sync(store, {
    loaded: (isWhole) => {
        isComplete = isWhole;
        list.say(views.emptyWords(isComplete));
        if (!isWhole) return;
        unread?.remove();
        unread = undefined;
    },
    failed: (error) => {
        if (error.status === 401) askForToken(begin);
        else unread ??= tellError(error, "The list could not be read");
    },
    told: (event, before) => {
        const name = event.snapshot?.name ?? before?.name;
        if (!name) return;
        if (event.event === "finished") announce(`${name} is finished`);
        if (event.event === "failed") announce(`${name} failed: ${errorText(event.error)}`);
        if (event.event === "paused" || event.event === "cancelled") announce(`${name}: ${stateWord(event.event)}`);
    },
});

const events = new Events({
    event: (name, message) => {
        if (name === "summary") total.take(message);
        else if (name === "reset") sync.reload();
        else sync.take(message);
    },
    connected: () => {
        say("");
        sync.hurry();
    },
    disconnected: (error) => {
        total.unknown();
        say(`${error ? errorText(error) : "The daemon closed the connection"}. Reconnecting …`);
    },
    refused: () => askForToken(begin),
});

function say(text) {
    byID("connection").hidden = text === "";
    setText(byID("connection"), text);
}

/// Loads the list and follows the events.
async function begin() {
    arrange();
    try {
        [info] = await Promise.all([api.info(), api.settings().then((settings) => total.limits(settings))]);
        if (info.notice) tell(info.notice);
        await sync.load((lastEvent) => events.start(lastEvent));
    } catch (error) {
        if (error.status === 401) return askForToken(begin);
        say(`${errorText(error)}. Reconnecting …`);
        setTimeout(begin, 3000);
    }
    return undefined;
}

const deeds = {
    open: (id, { focus = false } = {}) => {
        details.open(id);
        if (focus) details.place.querySelector("h2").focus();
    },
    stood: (id) => details.isOpen && details.open(id),
    close: () => (details.isOpen ? details.close() : clearSelection()),
    run: (verb, ids) => actions.run(verb, ids),
    move: (where, ids) => (list.isOrdered ? actions.move(where, ids, list.shown) : tell("Downloads can't be moved in this view")),
    chosen,
};
listenInList(list, deeds);
listenToDrags(list, (id, next) => actions.drop(id, next, list.shown));
listenForLinks((text) => openForm(info, text));
byID("details").addEventListener("keydown", (event) => event.key === "Escape" && details.close());

const add = () => openForm(info);
const limits = () => openLimits((settings) => total.limits(settings));
byID("commands").append(
    button("Add", { onclick: add, class: "main" }, "add"),
    button("Pause all", { onclick: () => actions.all("pause") }, "pause"),
    button("Resume all", { onclick: () => actions.all("resume") }, "resume"),
    button("Limits", { onclick: limits }, "limits"),
    button("Keys", { onclick: openHelp, class: "keys" }, "help"));
/// Returns the target of a key: the download in the details while they have the focus, or else the selection, or else the download in the details.
function subject() {
    const focus = document.activeElement;
    if (byID("details").contains(focus)) return [details.id];
    if (selection.ids.size > 0 || list.space.contains(focus)) return selection.subject;
    return details.isOpen ? [details.id] : [];
}
const command = (verb) => () => actions.run(verb, subject());
listenEverywhere({
    p: () => actions.run(pauseOrResume(subject().map((id) => store.get(id)).filter((each) => each)), subject()),
    s: command("start"), c: command("cancel"), r: command("retry"), Delete: command("remove"),
    n: add, l: limits, "?": openHelp, "/": () => views.field.focus(),
    g: () => selection.current !== undefined && list.stand(selection.current),
    Escape: () => deeds.close(),
    ...Object.fromEntries(VIEWS.map((view, index) => [String(index + 1), () => views.choose(view.id)])),
});

setInterval(() => {
    total.tick();
    details.sample(store.order.filter((id) => store.get(id).state === "running"));
    details.draw();
    details.poll();
    list.tick();
}, 1000);
for (const query of ["(prefers-color-scheme: dark)"]) matchMedia(query).addEventListener("change", () => total.draw());
addEventListener("resize", () => total.draw());
begin();
