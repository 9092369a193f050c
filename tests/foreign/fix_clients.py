# SPDX-License-Identifier: MIT
"""Clients of the venue program that `simplefix` and QuickFIX make."""

import pathlib
import socket
import sys
import threading

import quickfix
import quickfix44
import simplefix
from fix_venue import PATIENCE, far_from_now

DICTIONARY = pathlib.Path(sys.prefix) / "share" / "quickfix" / "FIX44.xml"  # which comes with QuickFIX


class Client:
    """A connection whose messages simplefix builds and parses."""

    def __init__(self, venue, name, sequence=1, begin="FIX.4.4", logs_on=True, **logon):
        self.name, self.sequence, self.begin = name, sequence, begin
        self.parser = simplefix.FixParser()
        self.socket = socket.create_connection(("127.0.0.1", venue.port), timeout=PATIENCE)
        if not logs_on:
            return
        fields = {98: 0, 108: 600, 554: "secret", **logon}  # it does nothing for heartbeats
        if begin == "FIXT.1.1":
            fields[1137] = 9
        self.send("A", fields)
        self.logon = self.take("A")

    def build(self, kind, fields):
        message = simplefix.FixMessage()
        message.append_pair(8, self.begin)
        message.append_pair(35, kind)
        message.append_pair(34, self.sequence)
        message.append_pair(49, self.name)
        message.append_utc_timestamp(52)
        message.append_pair(56, "VENUE")
        for tag, value in fields.items():
            message.append_pair(tag, value, header=tag in (43, 97, 122))
        self.sequence += 1
        return message.encode()

    def send(self, kind, fields):
        self.socket.sendall(self.build(kind, fields))

    def next(self):
        """The next message, or None at the end of the connection."""
        while (message := self.parser.get_message()) is None:
            data = self.socket.recv(4096)
            if not data:
                return None
            self.parser.append_buffer(data)
        return message

    def take(self, kind):
        message = self.next()
        assert message is not None, "the venue hung up"
        assert message.get(35) == kind.encode(), message
        assert message.get(56) == self.name.encode(), message
        return message

    def order(self, name, side, lots, price, **more):
        fields = {11: name, 55: "ABC", 54: side, 60: "20261127-19:30:00", 38: lots, 40: 2, 44: price}
        self.send("D", {**fields, **{int(tag[1:]): value for tag, value in more.items()}})


class Application(quickfix.Application):
    """What QuickFIX tells: reports in their order, logons and logouts."""

    def __init__(self):
        super().__init__()
        self.reports, self.rejects, self.answers = [], [], []
        self.logged_on = threading.Event()
        self.session = None

    def onCreate(self, session):
        self.session = session

    def onLogon(self, _session):
        self.logged_on.set()

    def onLogout(self, _session):
        self.logged_on.clear()

    def toAdmin(self, message, _session):
        if field(message.getHeader(), quickfix.MsgType()) == "A":
            message.setField(quickfix.StringField(554, "secret"))

    def fromAdmin(self, message, _session):
        if field(message.getHeader(), quickfix.MsgType()) == "3":
            self.rejects.append(message.toString())

    def toApp(self, _message, _session):
        pass

    def fromApp(self, message, _session):
        if field(message.getHeader(), quickfix.MsgType()) == "8":
            self.reports.append(tuple(field(message, of) for of in (
                quickfix.ExecID(), quickfix.ExecType(), quickfix.ClOrdID(), quickfix.CumQty())))
        if field(message.getHeader(), quickfix.MsgType()) == "b":
            self.answers.append(answer_of(message))


def field(message, which):
    message.getField(which)
    value = which.getValue()
    return int(value) if isinstance(value, float) else value


def answer_of(message):
    """QuoteID, QuoteStatus, and for each entry why it is refused."""
    sets, entries = quickfix44.MassQuoteAcknowledgement.NoQuoteSets(), {}
    message.getGroup(1, sets)
    for number in range(1, field(sets, quickfix.NoQuoteEntries()) + 1):
        entry = quickfix44.MassQuoteAcknowledgement.NoQuoteSets.NoQuoteEntries()
        sets.getGroup(number, entry)
        is_refused = entry.isSetField(368)
        entries[int(field(entry, quickfix.QuoteEntryID()))] = (
            field(entry, quickfix.QuoteEntryRejectReason()) if is_refused else None)
    return field(message, quickfix.QuoteID()), field(message, quickfix.QuoteStatus()), entries


def start_initiator(application, venue, name):
    """The initiator of a user, and what must live as long: QuickFIX holds references alone."""
    folder = venue.folder / f"quickfix-{name}"
    folder.mkdir(exist_ok=True)
    config = folder / "config"
    config.write_text(f"""[DEFAULT]
ConnectionType=initiator
ReconnectInterval=1
FileStorePath={folder}
FileLogPath={folder}
StartTime={(begin := far_from_now())}
EndTime={begin}
DataDictionary={DICTIONARY}
HeartBtInt=30
[SESSION]
BeginString=FIX.4.4
SenderCompID={name}
TargetCompID=VENUE
SocketConnectHost=127.0.0.1
SocketConnectPort={venue.port}
""", encoding="utf-8")
    settings = quickfix.SessionSettings(str(config))
    parts = (settings, quickfix.FileStoreFactory(settings), quickfix.FileLogFactory(settings))
    initiator = quickfix.SocketInitiator(application, parts[1], settings, parts[2])
    initiator.start()
    return initiator, parts


def send_order(application, name, side, lots, price):
    order = quickfix44.NewOrderSingle()
    for one in (quickfix.ClOrdID(name), quickfix.HandlInst("1"), quickfix.Symbol("ABC"), quickfix.Side(side),
                quickfix.TransactTime(), quickfix.OrderQty(lots), quickfix.OrdType("2"), quickfix.Price(price)):
        order.setField(one)
    quickfix.Session.sendToTarget(order, application.session)


def send_quotes(application, name, entries):
    """QuickFIX puts the fields of groups in the order of FIX 4.4."""
    quotes, all_of_them = quickfix44.MassQuote(), quickfix44.MassQuote.NoQuoteSets()
    quotes.setField(quickfix.QuoteID(name))
    all_of_them.setField(quickfix.QuoteSetID("s"))
    all_of_them.setField(quickfix.TotNoQuoteEntries(len(entries)))
    for number, (symbol, bid, offer) in entries.items():
        entry = quickfix44.MassQuote.NoQuoteSets.NoQuoteEntries()
        for one in (quickfix.OfferSize(5), quickfix.BidSize(5), quickfix.OfferPx(offer), quickfix.BidPx(bid),
                    quickfix.Symbol(symbol), quickfix.QuoteEntryID(str(number))):
            entry.setField(one)
        all_of_them.addGroup(entry)
    quotes.addGroup(all_of_them)
    quickfix.Session.sendToTarget(quotes, application.session)
