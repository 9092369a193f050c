// SPDX-License-Identifier: MIT
//
// An initiator of QuickFIX/J, with the dictionary of FIX 4.4 switched on. It takes orders from its input, as
// `order ID SIDE LOTS PRICE` or `cancel ID OF SIDE`, and prints what it is told.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import quickfix.Application;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.FileStoreFactory;
import quickfix.Message;
import quickfix.ScreenLogFactory;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionSettings;
import quickfix.SocketInitiator;
import quickfix.field.ClOrdID;
import quickfix.field.MsgType;
import quickfix.field.OrdType;
import quickfix.field.OrderQty;
import quickfix.field.OrigClOrdID;
import quickfix.field.Price;
import quickfix.field.Side;
import quickfix.field.Symbol;
import quickfix.field.TransactTime;
import quickfix.fix44.NewOrderSingle;
import quickfix.fix44.OrderCancelRequest;

public class Initiator implements Application {
  private static SessionID session;

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  public void onCreate(SessionID id) {
    session = id;
  }

  public void onLogon(SessionID id) {
    say("logon");
  }

  public void onLogout(SessionID id) {
    say("logout");
  }

  public void toAdmin(Message message, SessionID id) {
    try {
      String type = message.getHeader().getString(MsgType.FIELD);
      if (type.equals("A")) message.setString(554, "secret");
      if (type.equals("3")) say("it rejects " + message);
    } catch (FieldNotFound missing) {
      say("wrong " + missing);
    }
  }

  public void fromAdmin(Message message, SessionID id) throws FieldNotFound {
    if (message.getHeader().getString(MsgType.FIELD).equals("3")) say("rejected " + message);
  }

  public void toApp(Message message, SessionID id) {
  }

  public void fromApp(Message message, SessionID id) throws FieldNotFound {
    if (message.getHeader().getString(MsgType.FIELD).equals("8")) {
      say("report " + message.getString(150) + ' ' + message.getString(11) + ' ' + message.getString(14));
    } else {
      say("refused " + message.getString(11));
    }
  }

  public static void main(String[] arguments) throws Exception {
    SessionSettings settings = new SessionSettings(arguments[0]);
    SocketInitiator initiator = new SocketInitiator(new Initiator(), new FileStoreFactory(settings), settings,
        new ScreenLogFactory(false, false, false), new DefaultMessageFactory());
    initiator.start();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null;) {
      String[] words = line.split(" ");
      if (words[0].equals("order")) {
        NewOrderSingle order = new NewOrderSingle(new ClOrdID(words[1]), new Side(words[2].charAt(0)),
            new TransactTime(LocalDateTime.now(ZoneOffset.UTC)), new OrdType(OrdType.LIMIT));
        order.set(new Symbol("ABC"));
        order.set(new OrderQty(Double.parseDouble(words[3])));
        order.set(new Price(Double.parseDouble(words[4])));
        Session.sendToTarget(order, session);
      } else {
        OrderCancelRequest cancel = new OrderCancelRequest(new OrigClOrdID(words[2]), new ClOrdID(words[1]),
            new Side(words[3].charAt(0)), new TransactTime(LocalDateTime.now(ZoneOffset.UTC)));
        cancel.set(new Symbol("ABC"));
        Session.sendToTarget(cancel, session);
      }
    }
    initiator.stop();
  }
}
