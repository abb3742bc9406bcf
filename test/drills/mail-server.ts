/** An SMTP server on loopback whose behaviour a drill changes while it runs. */
import { SMTPServer } from 'smtp-server'

/** `refusing` answers every sender with 421 and closes, as a relay that shuts down does. */
type Manner = 'accepting' | 'refusing'

export class DrillMailServer {
  readonly url: string
  manner: Manner = 'accepting'
  /** How often each subject was accepted. */
  readonly accepted = new Map<string, number>()
  readonly #server: SMTPServer

  private constructor(server: SMTPServer, port: number) {
    this.#server = server
    this.url = `smtp://127.0.0.1:${port}?ignoreTLS=true`
  }

  static async start(): Promise<DrillMailServer> {
    let self: DrillMailServer | undefined
    const server = new SMTPServer({
      name: 'localhost',
      authOptional: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      onConnect: (_session, done) => done(self?.manner === 'refusing' ? refusal() : null),
      onMailFrom: (_address, _session, done) =>
        done(self?.manner === 'refusing' ? refusal() : null),
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const subject = /^Subject: (.*)$/m.exec(Buffer.concat(chunks).toString('latin1'))?.[1]
          if (subject !== undefined) self?.count(subject.trim())
          done(null, 'accepted')
        })
      },
    })
    server.on('error', () => undefined)
    const port = await new Promise<number>((resolve, reject) => {
      server.once('error', reject)
      const listener = server.listen(0, '127.0.0.1', () => {
        const address = listener.address()
        if (address !== null && typeof address === 'object') resolve(address.port)
      })
    })
    self = new DrillMailServer(server, port)
    return self
  }

  count(subject: string): void {
    this.accepted.set(subject, (this.accepted.get(subject) ?? 0) + 1)
  }

  stop(): Promise<void> {
    return new Promise((done) => this.#server.close(() => done()))
  }
}

function refusal(): Error {
  return Object.assign(new Error('4.3.2 System not accepting messages'), { responseCode: 421 })
}
