// SPDX-License-Identifier: MIT
//
// Philadelphia's connection of FIX, as the user that its argument names. Lines of the input say what to do:
//   connect PORT IN OUT      and logs on; the numbers are those of the next messages
//   numbers IN OUT           sets them; - leaves one
//   order ID SIDE LOTS PRICE
//   cancel ID OF SIDE
//   logout
//   leave                    hangs up without a word
//   tell                     prints the numbers
// It prints what it is told.

import com.paritytrading.philadelphia.FIXConfig;
import com.paritytrading.philadelphia.FIXConnection;
import com.paritytrading.philadelphia.FIXConnectionStatusListener;
import com.paritytrading.philadelphia.FIXMessage;
import com.paritytrading.philadelphia.FIXMessageListener;
import com.paritytrading.philadelphia.FIXValue;
import com.paritytrading.philadelphia.FIXVersion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

public class Client implements FIXMessageListener, FIXConnectionStatusListener {
  private final String name;
  private FIXConnection connection;
  private FIXMessage message;

  Client(String name) {
    this.name = name;
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static String text(FIXMessage message, int tag) {
    FIXValue value = message.valueOf(tag);
    return value == null ? "-" : value.asString().toString();
  }

  // ---- What it is told.

  public void message(FIXMessage message) {
    boolean again = message.valueOf(43) != null && message.valueOf(43).asBoolean();
    switch (message.getMsgType().asChar()) {
      case '8':
        say("report " + text(message, 150) + ' ' + text(message, 39) + ' ' + text(message, 11) + ' '
            + message.valueOf(151).asInt() + ' ' + message.valueOf(14).asInt() + ' ' + message.valueOf(6).asFloat()
            + (again ? " again" : ""));
        break;
      case '9': say("refused " + text(message, 11) + ' ' + text(message, 41) + ' ' + text(message, 102)); break;
      default: say("message " + message);
    }
  }

  public void close(FIXConnection connection, String reason) throws IOException {
    say("close " + reason);
    leave();
  }

  public void sequenceReset(FIXConnection connection) {
    say("reset");
  }

  public void tooLowMsgSeqNum(FIXConnection connection, long received, long expected) {
    say("low " + received + ' ' + expected);
  }

  public void reject(FIXConnection connection, FIXMessage message) {
    say("reject " + text(message, 58));
  }

  public void logon(FIXConnection connection, FIXMessage message) {
    say("logon " + message.getMsgSeqNum());
  }

  public void logout(FIXConnection connection, FIXMessage message) {
    say("logout " + text(message, 58));
  }

  // ---- What it does.

  private void leave() throws IOException {
    if (connection != null) connection.close();
    connection = null;
  }

  private void connect(String[] words) throws IOException {
    leave();
    SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[1])));
    channel.configureBlocking(false);
    FIXConfig config = FIXConfig.newBuilder()
        .setVersion(FIXVersion.FIX_4_4)
        .setSenderCompID(name)
        .setTargetCompID("VENUE")
        .setInMsgSeqNum(Long.parseLong(words[2]))
        .setOutMsgSeqNum(Long.parseLong(words[3]))
        .setFieldCapacity(256)
        .setRxBufferCapacity(65536)
        .build();
    connection = new FIXConnection(channel, config, this, this, System.currentTimeMillis());
    message = connection.create();
    // Its own sendLogon has no room for a password.
    connection.prepare(message, 'A');
    message.addField(98).setInt(0);
    message.addField(108).setInt(config.getHeartBtInt());
    message.addField(554).setString("secret");
    connection.send(message);
  }

  private void run(String[] words) throws IOException {
    if (connection != null) connection.setCurrentTimeMillis(System.currentTimeMillis());
    switch (words[0]) {
      case "connect": connect(words); break;
      case "numbers":
        if (!words[1].equals("-")) connection.setInMsgSeqNum(Long.parseLong(words[1]));
        if (!words[2].equals("-")) connection.setOutMsgSeqNum(Long.parseLong(words[2]));
        break;
      case "order":
        connection.prepare(message, 'D');
        message.addField(11).setString(words[1]);
        message.addField(55).setString("ABC");
        message.addField(54).setChar(words[2].charAt(0));
        message.addField(60).setString(connection.getCurrentTimestamp());
        message.addField(38).setInt(Long.parseLong(words[3]));
        message.addField(40).setChar('2');
        message.addField(44).setFloat(Double.parseDouble(words[4]), 4);
        connection.send(message);
        break;
      case "cancel":
        connection.prepare(message, 'F');
        message.addField(11).setString(words[1]);
        message.addField(41).setString(words[2]);
        message.addField(55).setString("ABC");
        message.addField(54).setChar(words[3].charAt(0));
        message.addField(60).setString(connection.getCurrentTimestamp());
        connection.send(message);
        break;
      case "logout": connection.sendLogout(); break;
      case "leave":
        leave();
        say("left");
        break;
      case "tell": say("numbers " + connection.getInMsgSeqNum() + ' ' + connection.getOutMsgSeqNum()); break;
      default: throw new IOException("unknown command " + words[0]);
    }
  }

  private void receive() throws IOException {
    if (connection == null) return;
    FIXConnection current = connection;
    try {
      current.setCurrentTimeMillis(System.currentTimeMillis());
      if (current.receive() < 0) throw new IOException();
      current.keepAlive();
    } catch (IOException over) {
      say("over " + current.getInMsgSeqNum() + ' ' + current.getOutMsgSeqNum());
      leave();
    }
  }

  public static void main(String[] arguments) throws Exception {
    Client client = new Client(arguments[0]);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (;;) {
      while (input.ready()) {
        client.run(input.readLine().split(" "));
      }
      client.receive();
      Thread.sleep(1);
    }
  }
}
