// What a page and the referee send each other. The secret of a link travels in a header, never in an address.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Wire {
  constructor(secret) {
    this.secret = secret;
  }

  async request(path, options = {}) {
    const headers = { authorization: `Bearer ${this.secret}`, ...options.headers };
    const answer = await fetch(path, { cache: "no-store", ...options, headers });
    if (!answer.ok) throw new Refused(answer.status, await words(answer));
    return answer;
  }

  async get(path) {
    return (await this.request(path)).json();
  }

  async post(path, body = {}) {
    const headers = { "content-type": "application/json" };
    const answer = await this.request(path, { method: "POST", headers, body: JSON.stringify(body) });
    return answer.status === 204 ? null : answer.json();
  }

  // Follow a stream of states for as long as the page is open. A connection that is lost is taken up again.
  // `onState` gets each state, `onLost` is called when the connection is lost, `onRefused` when it must not come back.
  async follow(path, { onState, onLost, onRefused }) {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await this.request(path, { headers: { accept: "text/event-stream" } });
        for await (const { event, data } of events(answer.body.getReader())) {
          tries = 0;
          if (event === "state") onState(JSON.parse(data));
        }
      } catch (error) {
        if (error instanceof Refused && [401, 403, 404].includes(error.status)) return onRefused(error.message);
      }
      onLost();
      await pause(Math.min(5000, 250 * 2 ** Math.min(tries, 5)));
    }
  }
}

const pause = ms => new Promise(done => setTimeout(done, ms));

// The reason of a refusal, in words.
async function words(answer) {
  return (await answer.text().catch(() => "")).trim() || answer.statusText;
}

// The events of a stream of server-sent events.
async function* events(reader) {
  const decoder = new TextDecoder();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += decoder.decode(value, { stream: true });
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop();
    for (const block of blocks) {
      const found = { event: "message", data: "" };
      for (const line of block.split("\n")) {
        const [name, ...rest] = line.split(": ");
        if (name === "event" || name === "data") found[name] = name === "data" ? found.data + rest.join(": ") : rest.join(": ");
      }
      if (found.data) yield found;
    }
  }
}
