"""Plays a desktop: owns org.freedesktop.Notifications on the session's bus (needs python3-dbus and python3-gi).

Writes a JSON line for each notification, and reads `ID KEY` lines: what a person has chosen.
"""

import json
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


class Desktop(dbus.service.Object):
    count = 0

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
        self.count += 1
        print(json.dumps({"id": self.count, "app": app, "summary": summary, "body": body, "actions": list(actions)}), flush=True)
        return dbus.UInt32(self.count)

    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body"]

    @dbus.service.method(NAME, out_signature="ssss")
    def GetServerInformation(self):
        return "test", "haul", "1", "1.2"

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        self.NotificationClosed(number, 3)

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, key):
        pass

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    name = dbus.service.BusName(NAME, dbus.SessionBus(), do_not_queue=True)
    desktop, loop = Desktop(name, PATH), GLib.MainLoop()
    print("ready", flush=True)

    def chosen(*_):
        line = sys.stdin.readline().split()
        if not line:
            loop.quit()
            return False
        if len(line) > 1:
            desktop.ActionInvoked(dbus.UInt32(int(line[0])), line[1])
        desktop.NotificationClosed(dbus.UInt32(int(line[0])), dbus.UInt32(2))
        return True

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, chosen)
    loop.run()


if __name__ == "__main__":
    main()
