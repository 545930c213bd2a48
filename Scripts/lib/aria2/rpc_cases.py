"""aria2's JSON-RPC as its clients use it, one function a case."""

import json
import socket
import subprocess
import sys
import time

import aria2p
import websocket
from aria2.bench import expect, until
from aria2.servers import SECRET, engine
from common.tally import Wrong

def rpc_start(bench):
    """RPC answers soon after the start, and the port is free at the end"""
    place = bench.place()
    with engine(bench.program, bench.haul, place) as one:
        print(f"        first answer after {one.seconds:.2f} s", flush=True)
        if one.seconds > 5:
            raise Wrong(f"the first answer took {one.seconds:.1f} s")
        code, seconds = one.end()
        expect(code, 0, "the exit code")
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", one.port))
        print(f"        ended within {seconds:.2f} s", flush=True)


def refusals(bench):
    """no token, wrong origin, wrong host, deep and broken JSON, paths out of the folder, torrents"""
    place = bench.place()
    with engine(bench.program, bench.haul, place) as one:
        began = time.monotonic()
        status, answer = one.post({"id": 1, "method": "aria2.getVersion", "params": ["token:wrong"]})
        expect((status, answer["error"]["message"]), (400, "Unauthorized"), "a wrong token")
        expect(time.monotonic() - began > 0.8, True, "the delay")
    with engine(bench.program, bench.haul, place, secret=None) as one:
        call = {"id": 1, "method": "aria2.getVersion"}
        expect(one.post(call)[0], 200, "no secret")
        expect(one.post(call, {"Origin": "http://example.org"})[0], 403, "another origin")
        expect(one.post(call, {"Host": "example.org"})[0], 403, "another host")
        deep = json.loads("[" * 60 + "]" * 60)
        expect(one.post(deep)[0], 200, "deep JSON is a batch of nonsense")
        status, answer = one.post({"id": 1, "method": "aria2.addUri", "params": [[bench.files.url("/a.bin")], {"dir": "/etc"}]})
        expect(status, 400, "out of the folder")
        status, answer = one.post({"id": 1, "method": "aria2.addTorrent", "params": ["AAAA"]})
        expect("BitTorrent" in answer["error"]["message"], True, "a torrent")


def session(bench):
    """what is unfinished is saved, and goes on in the next run with its GID"""
    place = bench.place()
    saved = place / "session"
    with engine(bench.program, bench.haul, place, f"--save-session={saved}") as one:
        gid = one.call("aria2.addUri", [bench.files.url("/slow")], {"out": "slow", "split": "1", "max-connection-per-server": "1"})
        until(lambda: int(one.call("aria2.tellStatus", gid)["completedLength"]) > 100_000, "the first bytes")
        expect(one.call("aria2.saveSession"), "OK", "saveSession")
        expect(gid in saved.read_text(), True, "the session")
        one.end()
    with engine(bench.program, bench.haul, place, f"--input-file={saved}", f"--save-session={saved}") as one:
        status = one.call("aria2.tellStatus", gid)
        until(lambda: int(one.call("aria2.tellStatus", gid)["completedLength"]) > 100_000, "what was there")
        expect(status["status"] in ("active", "waiting"), True, status["status"])
        one.call("aria2.changeOption", gid, {"split": "8", "max-connection-per-server": "8"})
        until(lambda: one.call("aria2.tellStatus", gid)["status"] == "complete", "the end")
        bench.check(place / "slow", "/slow")


def aria2p_client(bench):
    """aria2p: add, list, pause, resume, move, options, limits, purge, remove, shutdown"""
    place = bench.place()
    with engine(bench.program, bench.haul, place, "--max-concurrent-downloads=1") as one:
        api = aria2p.API(aria2p.Client(host="http://127.0.0.1", port=one.port, secret=SECRET))
        first = api.add_uris([bench.files.url("/slow")], options={"out": "slow", "split": "1"})
        second = api.add_uris([bench.files.url("/a.bin")], options={"out": "second"})
        third = api.add_uris([bench.files.url("/b.mp4")], options={"out": "third", "max-download-limit": "500K"})
        until(lambda: api.get_download(first.gid).is_active, "the first one at work")
        expect([each.gid for each in api.get_downloads()], [first.gid, second.gid, third.gid], "the list")
        expect(api.move_to_top(third), 0, "move_to_top")
        expect([each["gid"] for each in one.call("aria2.tellWaiting", 0, 10)], [third.gid, second.gid], "the queue")
        expect(api.get_download(third.gid).options.max_download_limit, 512000, "an option")
        expect(api.set_options({"max-download-limit": "1M"}, [third]), [True], "set_options")
        expect(api.get_download(third.gid).options.max_download_limit, 1 << 20, "a changed option")
        expect(api.get_global_options().max_concurrent_downloads, 1, "global options")
        expect(api.get_stats().num_waiting, 2, "stats")
        expect(api.pause([first]), [True], "pause")
        until(lambda: api.get_download(first.gid).is_paused, "the pause")
        until(lambda: api.get_download(third.gid).is_complete, "the third one")
        until(lambda: api.get_download(second.gid).is_complete, "the second one")
        expect(api.get_download(second.gid).name, "second", "a name")
        bench.check(place / "second", "/a.bin")
        bench.check(place / "third", "/b.mp4")
        expect(api.resume([first]), [True], "resume")
        until(lambda: api.get_download(first.gid).is_active, "going on")
        expect(api.set_global_options({"max-concurrent-downloads": "3"}), True, "set_global_options")
        api.purge()
        expect([each.gid for each in api.get_downloads()], [first.gid], "after purge")
        expect(api.remove([first], force=True), [True], "remove")
        expect(api.get_downloads(), [], "after remove")
        expect(
            api.client.multicall2([("aria2.getVersion", []), ("aria2.getSessionInfo", [])])[0][0]["version"],
            "1.37.0", "multicall")
        expect(len(api.client.list_methods()), 36, "list_methods")
        expect(api.client.shutdown(), "OK", "shutdown")
        expect(one.process.wait(15), 0, "the exit code")


def aria2p_commands(bench):
    """aria2p's commands: add, show, call, pause, resume, add-metalink, remove, purge"""
    place = bench.place()
    with engine(bench.program, bench.haul, place) as one:
        def command(*words):
            told = subprocess.run(
                [sys.executable, "-m", "aria2p", "-p", str(one.port), "-s", SECRET, *map(str, words)],
                env=bench.haul.environment, capture_output=True, text=True, timeout=60)
            expect(told.returncode, 0, f"{words}: {told.stdout + told.stderr}")
            return told.stdout

        def states():
            lists = [one.call("aria2.tellActive"), one.call("aria2.tellWaiting", 0, 10), one.call("aria2.tellStopped", 0, 10)]
            return sorted(each["status"] for part in lists for each in part)

        command("add", bench.files.url("/slow"), "-o", "out=slow;max-download-limit=100K")
        until(lambda: states() == ["active"], "the download")
        expect("slow" in command("show"), True, "show")
        gid = one.call("aria2.tellActive")[0]["gid"]
        command("pause", gid)
        until(lambda: states() == ["paused"], "pause")
        command("resume", "--all")
        until(lambda: states() == ["active"], "resume")
        command("pause", "--all", "--force")
        until(lambda: states() == ["paused"], "pause of all")
        document = place / "two.metalink"
        document.write_text(
            '<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="linked"><hash type="sha-256">'
            f"{bench.files.digest('/a.bin')}</hash><url>{bench.files.url('/a.bin')}</url></file></metalink>")
        command("add-metalinks", document)
        until(lambda: states() == ["complete", "paused"], "the Metalink")
        bench.check(place / "linked", "/a.bin")
        told = json.loads(command("call", "tellStatus", "-P", gid))
        expect((told["status"], told["gid"]), ("paused", gid), "call")
        command("purge")
        expect(states(), ["paused"], "purge")
        command("remove", gid)
        expect(states(), [], "remove")


def aria2p_events(bench):
    """aria2p's notifications: start, pause, complete, error, stop"""
    place = bench.place()
    with engine(bench.program, bench.haul, place) as one:
        api = aria2p.API(aria2p.Client(host="http://127.0.0.1", port=one.port, secret=SECRET))
        heard = []

        def note(name):
            return lambda _, gid: heard.append((name, gid))

        api.listen_to_notifications(
            threaded=True, timeout=1, on_download_start=note("start"), on_download_pause=note("pause"),
            on_download_stop=note("stop"), on_download_complete=note("complete"), on_download_error=note("error"))
        time.sleep(1)
        good = api.add_uris([bench.files.url("/a.bin")], options={"out": "good"}).gid
        until(lambda: ("complete", good) in heard, "complete")
        bad = api.add_uris([bench.files.url("/missing")]).gid
        until(lambda: ("error", bad) in heard, "error")
        slow = api.add_uris([bench.files.url("/slow")]).gid
        until(lambda: ("start", slow) in heard, "start")
        api.pause([api.get_download(slow)])
        until(lambda: ("pause", slow) in heard, "pause")
        api.client.remove(slow)
        until(lambda: ("stop", slow) in heard, "stop")
        expect(heard.count(("complete", good)), 1, "how often complete came")
        api.stop_listening()


def sockets(bench):
    """a WebSocket: calls, batches, ping, notifications, fragments, wrong token, what is no JSON"""
    place = bench.place()
    with engine(bench.program, bench.haul, place) as one:
        line = websocket.create_connection(f"ws://127.0.0.1:{one.port}/jsonrpc", timeout=20)
        answers, notes = {}, []

        def call(identity, method, *parameters, token=f"token:{SECRET}"):
            line.send(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": [token, *parameters]}))
            while identity not in answers:
                told = json.loads(line.recv())
                if "method" in told:
                    notes.append((told["method"], told["params"][0]["gid"]))
                else:
                    answers[told["id"]] = told
            return answers[identity]

        expect(call(1, "aria2.getVersion")["result"]["version"], "1.37.0", "getVersion")
        gid = call("add", "aria2.addUri", [bench.files.url("/a.bin")])["result"]
        while ("aria2.onDownloadComplete", gid) not in notes:
            told = json.loads(line.recv())
            notes.append((told["method"], told["params"][0]["gid"]))
        expect(notes, [("aria2.onDownloadStart", gid), ("aria2.onDownloadComplete", gid)], "notifications")
        expect(call(2, "aria2.getVersion", token="token:no")["error"]["message"], "Unauthorized", "a wrong token")
        line.ping("x")
        expect(call(3, "aria2.getGlobalStat")["result"]["numStopped"], "1", "after a ping")
        line.send("{")
        expect(json.loads(line.recv())["error"]["code"], -32700, "what is no JSON")
        text = json.dumps([{"id": 4, "method": "system.listMethods"}, {"id": 5, "method": "system.listNotifications"}])
        line.send_frame(websocket.ABNF.create_frame(text[:70], websocket.ABNF.OPCODE_TEXT, 0))
        line.send_frame(websocket.ABNF.create_frame(text[70:], websocket.ABNF.OPCODE_CONT, 1))
        expect([len(each["result"]) for each in json.loads(line.recv())], [36, 6], "a batch in fragments")
        line.close()
        try:
            websocket.create_connection(f"ws://127.0.0.1:{one.port}/other", timeout=5)
            raise Wrong("another path became a WebSocket")
        except websocket.WebSocketException:
            pass


CASES = [rpc_start, refusals, session, aria2p_client, aria2p_commands, aria2p_events, sockets]
