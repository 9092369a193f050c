// SPDX-License-Identifier: MIT
//
// Nassau's clients of SoupBinTCP and of MoldUDP64. Lines of the input say what to do:
//   login PORT USER PASSWORD SESSION SEQUENCE   (SESSION - is the current one)
//   send HEX
//   logout
//   feed PORT      follows the feed, and asks for lost messages there; every second datagram is lost
//   calm           no datagram is lost any more
// It prints the port where it takes the feed, and then what it is told.

import com.paritytrading.nassau.MessageListener;
import com.paritytrading.nassau.moldudp64.MoldUDP64Client;
import com.paritytrading.nassau.moldudp64.MoldUDP64ClientState;
import com.paritytrading.nassau.moldudp64.MoldUDP64ClientStatusListener;
import com.paritytrading.nassau.soupbintcp.SoupBinTCP;
import com.paritytrading.nassau.soupbintcp.SoupBinTCPClient;
import com.paritytrading.nassau.soupbintcp.SoupBinTCPClientStatusListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.HexFormat;

public class Client implements SoupBinTCPClientStatusListener, MoldUDP64ClientStatusListener {
  // Its clock is so much faster that it hangs up after 3.75 seconds without a heartbeat.
  private static final int SPEED = 4;

  private final DatagramChannel datagrams = DatagramChannel.open();
  private SoupBinTCPClient orders;
  private MoldUDP64Client feed;
  private int received = 0;
  private boolean calm = false;

  Client() throws IOException {
    datagrams.bind(new InetSocketAddress("127.0.0.1", 0)).configureBlocking(false);
    say("port " + ((InetSocketAddress) datagrams.getLocalAddress()).getPort());
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static MessageListener listener(String name) {
    return message -> {
      byte[] bytes = new byte[message.remaining()];
      message.get(bytes);
      say(name + ' ' + HexFormat.of().formatHex(bytes));
    };
  }

  // ---- What it is told.

  public void heartbeatTimeout(SoupBinTCPClient client) throws IOException {
    say("silence");
    leave();
  }

  public void loginAccepted(SoupBinTCPClient client, SoupBinTCP.LoginAccepted answer) {
    say("accepted " + answer.getSession().trim() + ' ' + answer.getSequenceNumber());
  }

  public void loginRejected(SoupBinTCPClient client, SoupBinTCP.LoginRejected answer) {
    say("rejected " + (char) answer.getRejectReasonCode());
  }

  public void endOfSession(SoupBinTCPClient client) {
    say("end");
  }

  public void state(MoldUDP64Client client, MoldUDP64ClientState state) {
    say("feed " + state);
  }

  public void downstream(MoldUDP64Client client, long sequence, int count) {
  }

  public void request(MoldUDP64Client client, long sequence, int count) {
    say("feed request");
  }

  public void endOfSession(MoldUDP64Client client) throws IOException {
    say("feed end");
    feed = null;
  }

  // ---- What it does.

  private void leave() throws IOException {
    if (orders != null) orders.close();
    orders = null;
  }

  private void run(String[] words) throws IOException {
    switch (words[0]) {
      case "login": {
        leave();
        SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[1])));
        channel.configureBlocking(false);
        orders = new SoupBinTCPClient(() -> SPEED * System.currentTimeMillis(), channel, 1024, listener("message"), this);
        SoupBinTCP.LoginRequest request = new SoupBinTCP.LoginRequest();
        request.setUsername(words[2]);
        request.setPassword(words[3]);
        request.setRequestedSession(words[4].equals("-") ? "" : words[4]);
        request.setRequestedSequenceNumber(Long.parseLong(words[5]));
        orders.login(request);
        break;
      }
      case "send": orders.send(ByteBuffer.wrap(HexFormat.of().parseHex(words[1]))); break;
      case "logout": orders.logout(); break;
      case "calm": calm = true; break;
      case "feed": {
        DatagramChannel answers = DatagramChannel.open();
        answers.bind(new InetSocketAddress("127.0.0.1", 0)).configureBlocking(false);
        feed = new MoldUDP64Client(datagrams, answers, new InetSocketAddress("127.0.0.1", Integer.parseInt(words[1])),
            listener("feed"), this);
        break;
      }
      default: throw new IOException("unknown command " + words[0]);
    }
  }

  private void receive() throws IOException {
    if (orders != null) {
      try {
        if (orders.receive() < 0) throw new IOException();
        orders.keepAlive();
      } catch (IOException over) {
        say("over");
        leave();
      }
    }
    while (feed != null && feed.receiveResponse()) {
    }
    if (feed == null) return;
    boolean lost = !calm && received % 2 == 1;
    if (lost ? datagrams.receive(ByteBuffer.allocate(65536)) != null : feed.receive()) ++received;
  }

  public static void main(String[] arguments) throws Exception {
    Client client = new Client();
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
