// SPDX-License-Identifier: MIT
//
// A client of OUCH 5.0, whose messages slouch builds and parses, and whose packets soupbintcp_model does. slouch has a client
// too, but that writes messages without packets of SoupBinTCP around them. Lines of the input say what to do:
//   login PORT USER PASSWORD SESSION SEQUENCE   (SESSION - is the current one)
//   enter NUMBER SIDE LOTS SYMBOL PRICE TIME-IN-FORCE
//   replace NUMBER NEW-NUMBER LOTS PRICE
//   cancel NUMBER LOTS
//   query
//   leave      hangs up without a word
//   logout
// It prints what it is told, a line for a packet.

use byteserde::prelude::*;
use slouch::msg::{AccountQuery, CancelOrder, EnterOrder, OuchRequest, OuchResponse, ReplaceOrder};
use slouch::types::{Capacity, CrossType, Display, OrderToken, Price, Side, StockSymbol, TimeInForce, UserRefNum};
use soupbintcp_model::prelude::{CltSoupBinTcpMsg, Password, SvcSoupBinTcpMsg, UserName, VecPayload};
use std::io::{BufRead, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

type Sent = CltSoupBinTcpMsg<VecPayload>;
type Received = SvcSoupBinTcpMsg<VecPayload>;

fn say(line: String) {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).expect("the output can be written");
}

fn send(stream: &mut TcpStream, message: &Sent) {
    let bytes = to_serializer_stack::<128, _>(message).expect("it fits");
    let _ = stream.write_all(bytes.as_slice()); // if the venue is gone, the reader says so
}

// ---- Values, where the crates give no other way to them.

fn reference(text: &str) -> UserRefNum {
    UserRefNum::parse(&text.parse::<u32>().expect("a number").to_be_bytes()).expect("four bytes").1
}

fn price(text: &str) -> Price {
    Price::new(text.parse().expect("ten-thousandths")).expect("a price in its range")
}

fn token(number: &str) -> OrderToken {
    OrderToken::from(format!("id{number}")).expect("letters and digits")
}

/// Padded on the right, as SoupBinTCP has names and passwords. What is shorter the crate would pad on the left.
fn padded<const SIZE: usize>(text: &str) -> [u8; SIZE] {
    let mut bytes = [b' '; SIZE];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

fn request(words: &[&str]) -> OuchRequest {
    match words[0] {
        "enter" => OuchRequest::EnterOrder(
            EnterOrder::new(
                reference(words[1]),
                Side::parse(words[2].as_bytes()).expect("a side").1,
                words[3].parse().expect("lots"),
                StockSymbol::from(words[4]).expect("a symbol"),
                price(words[5]),
                TimeInForce::parse(words[6].as_bytes()).expect("a time in force").1,
                Display::Visible,
                Capacity::Principal,
                false,
                CrossType::ContinuousMarket,
                token(words[1]),
            )
            .expect("an order"),
        ),
        "replace" => OuchRequest::ReplaceOrder(
            ReplaceOrder::new(
                reference(words[1]),
                reference(words[2]),
                words[3].parse().expect("lots"),
                price(words[4]),
                TimeInForce::Day,
                Display::Visible,
                false,
                token(words[2]),
            )
            .expect("a replace"),
        ),
        "cancel" => OuchRequest::CancelOrder(
            CancelOrder::new(reference(words[1]), words[2].parse().expect("lots")).expect("a cancel"),
        ),
        "query" => OuchRequest::AccountQuery(AccountQuery::new()),
        other => panic!("unknown command {other}"),
    }
}

fn words_of(bytes: &[u8]) -> String {
    use OuchResponse::*;
    let Ok((rest, response)) = OuchResponse::parse(bytes) else { return format!("unreadable {bytes:?}") };
    // It leaves the length of an appendage that is empty.
    if !rest.is_empty() && rest != [0, 0] {
        return format!("it leaves {rest:?} of {response:?}");
    }
    match response {
        SystemEvent(m) => format!("event {:?}", m.event_code()),
        AccountQueryResponse(m) => format!("next {}", m.next_user_ref_num().val()),
        OrderAccepted(m) => format!(
            "accepted {} {:?} {} {} {} {:?} {:?} {:?} sweep={} {:?} {:?} {} {:?}",
            m.user_ref_num().val(), m.side(), m.quantity(), m.symbol(), m.price().val(), m.time_in_force(), m.display(),
            m.capacity(), m.intermarket_sweep(), m.cross_type(), m.order_state(), m.order_token(), m.options()
        ),
        OrderReplaced(m) => format!(
            "replaced {} {} {:?} {} {} {} {:?} {} {:?}",
            m.old_ref_num().val(), m.new_ref_num().val(), m.side(), m.quantity(), m.symbol(), m.price().val(), m.order_state(),
            m.order_token(), m.options()
        ),
        OrderExecuted(m) => format!(
            "executed {} {} {} {:?} match={} {:?}",
            m.user_ref_num().val(), m.quantity(), m.price().val(), m.liquidity(), m.match_number(), m.options()
        ),
        OrderCanceled(m) => format!("canceled {} {} {:?}", m.user_ref_num().val(), m.quantity(), m.reason()),
        AiqCanceled(m) => format!(
            "self {} {} {:?} {} {} {:?} {:?}",
            m.user_ref_num().val(), m.decrement_shares(), m.reason(), m.quantity_prevented(), m.price().val(), m.liquidity(),
            m.aiq_strategy()
        ),
        OrderRejected(m) => format!("rejected {} {:?} {}", m.user_ref_num().val(), m.reason(), m.order_token()),
        other => format!("other {other:?}"),
    }
}

fn listen(mut stream: TcpStream) {
    let mut size = [0; 2];
    while stream.read_exact(&mut size).is_ok() {
        let mut packet = size.to_vec();
        packet.resize(2 + usize::from(u16::from_be_bytes(size)), 0);
        if stream.read_exact(&mut packet[2..]).is_err() {
            break;
        }
        match from_slice::<Received>(&packet) {
            Ok(SvcSoupBinTcpMsg::HBeat(_)) => (),
            Ok(SvcSoupBinTcpMsg::SPayload(data)) => say(words_of(&data.payload.payload)),
            // Only its text has the session and the number.
            Ok(SvcSoupBinTcpMsg::LoginAccepted(answer)) => {
                say(answer.to_string().split('"').skip(1).step_by(2).map(str::trim).collect::<Vec<_>>().join(" "))
            }
            Ok(SvcSoupBinTcpMsg::LoginRejected(answer)) => {
                let is_user = answer.is_not_authorized();
                say(format!("refused {}", if is_user { "user" } else { "session" }))
            }
            Ok(SvcSoupBinTcpMsg::EndOfSession(_)) => say("end".to_string()),
            other => say(format!("unexpected {other:?}")),
        }
    }
    say("over".to_string());
}

fn main() {
    let current: Arc<Mutex<Option<TcpStream>>> = Arc::default();
    let beating = current.clone();
    thread::spawn(move || loop {
        thread::sleep(Duration::from_secs(1));
        if let Some(stream) = beating.lock().expect("no thread panics").as_mut() {
            send(stream, &Sent::hbeat());
        }
    });
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the input is text");
        let words: Vec<&str> = line.split(' ').collect();
        let mut connection = current.lock().expect("no thread panics");
        match words[0] {
            "login" => {
                let mut stream = TcpStream::connect(("127.0.0.1", words[1].parse::<u16>().expect("a port"))).expect("a venue");
                let session = if words[4] == "-" { "" } else { words[4] };
                let user = UserName::new(padded(words[2]));
                let password = Password::new(padded(words[3]));
                let sequence = words[5].parse::<u64>().expect("a number");
                send(&mut stream, &Sent::login(user, password, session.into(), sequence.into()));
                let reading = stream.try_clone().expect("a copy");
                thread::spawn(move || listen(reading));
                *connection = Some(stream);
            }
            "leave" => {
                let _ = connection.take().expect("a connection").shutdown(Shutdown::Both);
            }
            "logout" => send(connection.as_mut().expect("a connection"), &Sent::logout()),
            _ => {
                let payload = VecPayload::new(request(&words).encode());
                send(connection.as_mut().expect("a connection"), &Sent::udata(payload));
            }
        }
    }
}
