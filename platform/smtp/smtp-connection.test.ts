import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import {
  type SinkFault,
  type SinkPhase,
  SmtpSink,
  type TakenEmail,
} from '../../test/mailkill/smtp-sink.ts'
import { SmtpConnection, SmtpUnavailable } from './smtp-connection.ts'
import { readSmtpUrl } from './smtp-settings.ts'

const envelope = { from: 'b+x@bounces.sender.test', to: 'reader@reader.test' }
const message = Buffer.from('Subject: x\r\n\r\nHello\r\n.dot\r\n..\r\n')
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function connect(
  fault: { phase: SinkPhase; fault: SinkFault } | undefined,
  pipelining = true,
) {
  const emails: TakenEmail[] = []
  const sink = await SmtpSink.start({
    onEmail: (email) => emails.push(email),
    pipelining,
    fault: (phase) => (phase === fault?.phase ? fault.fault : undefined),
  })
  ends.push(() => sink.stop())
  const connection = await SmtpConnection.open(readSmtpUrl(sink.url))
  ends.push(() => connection.destroy())
  return { connection, emails }
}

const cut = { kind: 'cut' } as const
const say = (reply: string) => ({ kind: 'reply', reply }) as const

// biome-ignore format: the columns are the point
const table = [
  ['connection lost at MAIL    ', 'mail', cut,                         { kind: 'lost', written: false }, 0],
  ['connection lost at RCPT    ', 'rcpt', cut,                         { kind: 'lost', written: false }, 0],
  ['connection lost at DATA    ', 'data', cut,                         { kind: 'lost', written: false }, 0],
  ['connection lost at the dot ', 'dot',  cut,                         { kind: 'lost', written: true },  1],
  ['MAIL is refused            ', 'mail', say('550 5.7.1 not you'),    { kind: 'refused', phase: 'mail' }, 0],
  ['RCPT is refused            ', 'rcpt', say('550 5.1.1 unknown'),    { kind: 'refused', phase: 'rcpt', reply: { code: 550, enhanced: '5.1.1' } }, 0],
  ['DATA is refused            ', 'data', say('451 4.3.0 not now'),    { kind: 'refused', phase: 'data' }, 0],
  ['the email is refused       ', 'dot',  say('554 5.7.1 spam'),       { kind: 'refused', phase: 'message', reply: { code: 554 } }, 0],
  ['the email is deferred      ', 'dot',  say('452 4.3.1 no room'),    { kind: 'refused', phase: 'message' }, 0],
  ['a refusal of several lines ', 'rcpt', say('550-5.1.1 no\r\n550 5.1.1 such user'), { kind: 'refused', phase: 'rcpt', reply: { text: '5.1.1 no 5.1.1 such user' } }, 0],
  ['the server closes          ', 'rcpt', say('421 4.3.2 closing'),    { kind: 'refused', phase: 'rcpt', reply: { code: 421 } }, 0],
] as const

for (const pipelining of [true, false]) {
  test.each(table)(
    `${pipelining ? 'in one' : 'one by one'}: %s`,
    async (_name, phase, fault, want, taken) => {
      const { connection, emails } = await connect({ phase, fault }, pipelining)
      expect(await connection.submit(envelope, message)).toMatchObject(want)
      expect(emails).toHaveLength(taken)
      const stays =
        want.kind === 'refused' && !(fault.kind === 'reply' && fault.reply.startsWith('421'))
      expect(connection.isOpen).toBe(stays)
    },
  )
}

test('an email arrives unchanged, including leading dots, and the connection sends the next one', async () => {
  const { connection, emails } = await connect(undefined)
  for (let count = 0; count < 3; count += 1) {
    expect(await connection.submit(envelope, message)).toMatchObject({ kind: 'taken' })
  }
  // The sink does not remove the doubled dots.
  expect(emails.map(({ raw }) => raw.replace(/^\.\./gm, '.'))).toEqual(
    Array.from({ length: 3 }, () => message.toString()),
  )
  expect(emails[0]).toMatchObject(envelope)
})

async function listen(
  answer: (line: string) => string | undefined,
  greeting = '220 odd',
): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(`${greeting}\r\n`)
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        const reply = answer(line)
        if (reply !== undefined) socket.write(`${reply}\r\n`)
      }
    })
    ends.push(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a server that refuses the sender and still replies 354 gets no email', async () => {
  let sawDot = false
  const url = await listen((line) => {
    if (line === '.') sawDot = true
    if (line.startsWith('EHLO')) return '250-odd\r\n250 PIPELINING'
    if (line.startsWith('MAIL')) return '550 5.7.1 no'
    return line === 'DATA' ? '354 go on' : '250 ok'
  })
  const connection = await SmtpConnection.open(readSmtpUrl(url))
  expect(await connection.submit(envelope, message)).toMatchObject({
    kind: 'refused',
    phase: 'mail',
  })
  expect(connection.isOpen).toBe(false)
  expect(sawDot).toBe(false)
})

const times = { connectMs: 1_000, greetingMs: 200, answerMs: 200 }
// biome-ignore format: the columns are the point
test.each([
  ['refuses the connection    ', '554 5.7.1 go away',     '250 ok'],
  ['is no SMTP server         ', 'HTTP/1.1 400 Bad',      '250 ok'],
  ['never greets              ', '',                      undefined],
  ['never answers EHLO        ', '220 hello',             undefined],
  ['sends an endless reply    ', '220 hello',             `250-${'x'.repeat(70_000)}`],
] as const)('a server that %s is unavailable, and no email fails', async (_name, greeting, answer) => {
  const url = await listen(() => answer, greeting)
  await expect(SmtpConnection.open(readSmtpUrl(url), times)).rejects.toThrow(SmtpUnavailable)
})

/** A server that sends what the script says for each line. */
async function scripted(
  script: (line: string, socket: Socket) => string | undefined,
): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.setNoDelay(true)
    socket.write('220 odd\r\n')
    let rest = ''
    let inBody = false
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1')
      for (let at = rest.indexOf('\r\n'); at !== -1; at = rest.indexOf('\r\n')) {
        const line = rest.slice(0, at)
        rest = rest.slice(at + 2)
        if (inBody && line !== '.') continue
        const reply = line.startsWith('EHLO')
          ? '250-odd\r\n250 PIPELINING\r\n'
          : script(line, socket)
        if (line === 'DATA' && reply?.startsWith('354')) inBody = true
        else if (line === '.') inBody = false
        if (reply !== undefined) socket.write(reply)
      }
    })
    ends.push(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const good: Readonly<Record<string, string>> = {
  MAIL: '250 ok\r\n',
  RCPT: '250 ok\r\n',
  DATA: '354 go on\r\n',
  '.': '250 2.0.0 taken\r\n',
  RSET: '250 ok\r\n',
}

/** Lines that are answered in another way; `close` closes the connection after the answer. */
const verbOf = (line: string) => (line === '.' ? line : line.slice(0, 4))
async function against(odd: Readonly<Record<string, string>>) {
  const seen: string[] = []
  const url = await scripted((line, socket) => {
    const verb = verbOf(line)
    seen.push(verb)
    const reply = odd[verb] ?? good[verb]
    if (reply?.endsWith('close') !== true) return reply
    socket.end(reply.slice(0, -'close'.length))
    return undefined
  })
  const connection = await SmtpConnection.open(readSmtpUrl(url), { ...times, answerMs: 300 })
  ends.push(() => connection.destroy())
  return { connection, seen }
}

// biome-ignore format: the columns are the point
test.each([
  ['421 to MAIL, then closes                ', { MAIL: '421 4.3.2 bye\r\nclose' },              { kind: 'refused', phase: 'mail', reply: { code: 421 } }],
  ['421 to RCPT, then closes                ', { RCPT: '421 4.3.2 bye\r\nclose' },              { kind: 'refused', phase: 'rcpt', reply: { code: 421 } }],
  ['421 to DATA, then closes                ', { DATA: '421 4.3.2 bye\r\nclose' },              { kind: 'refused', phase: 'data', reply: { code: 421 } }],
  ['4xx to RCPT and closes                  ', { RCPT: '450 4.7.1 later\r\nclose' },            { kind: 'refused', phase: 'rcpt', reply: { code: 450 } }],
  ['4xx to RCPT and 503 to DATA             ', { RCPT: '450 4.7.1 later\r\n', DATA: '503 no\r\n' }, { kind: 'refused', phase: 'rcpt', reply: { code: 450 } }],
  ['4xx to RCPT and still 354               ', { RCPT: '450 4.7.1 later\r\n' },                 { kind: 'refused', phase: 'rcpt', reply: { code: 450 } }],
  ['closes after DATA without a reply       ', { DATA: 'close' },                               { kind: 'lost', written: false }],
  ['closes after 354                        ', { DATA: '354 go on\r\nclose' },                  { kind: 'lost' }],
  ['closes after the email                  ', { '.': 'close' },                                { kind: 'lost', written: true }],
  ['421 to the email, then closes           ', { '.': '421 4.3.2 bye\r\nclose' },               { kind: 'refused', phase: 'message', reply: { code: 421 } }],
  ['half of a reply to the email, then closes', { '.': '250 2.0.0 tak' + 'close' },             { kind: 'lost', written: true }],
  ['half of a reply to the email, then silence', { '.': '250-2.0.0 taken\r\n' },                { kind: 'lost', written: true }],
  ['silence to MAIL                         ', { MAIL: '', RCPT: '', DATA: '' },                { kind: 'lost', written: false }],
  ['354 to MAIL                             ', { MAIL: '354 go on\r\n' },                       { kind: 'refused', phase: 'mail' }],
  ['two replies to DATA                     ', { DATA: '354 go on\r\n250 2.0.0 taken\r\n' },    { kind: 'lost', written: false }],
  ['a reply too much to MAIL                ', { MAIL: '250 ok\r\n250 ok\r\n' },                { kind: 'refused', phase: 'data' }],
  ['3xx to the email                        ', { '.': '354 go on\r\n' },                        { kind: 'lost', written: true }],
  ['no SMTP to the email                    ', { '.': 'HTTP/1.1 200 OK\r\n' },                  { kind: 'lost', written: true }],
] as const)('a server that answers %s', async (_name, odd, want) => {
  const { connection } = await against(odd)
  expect(await connection.submit(envelope, message)).toMatchObject(want)
  // A connection that goes on has no reply left over: the next email gets its own.
  if (connection.isOpen) {
    const next = await connection.submit(envelope, message)
    expect(next).toMatchObject(want)
  }
})

test('replies that arrive byte by byte are read like others', async () => {
  const url = await scripted((line, socket) => {
    const reply = good[verbOf(line)] ?? ''
    for (const byte of reply) socket.write(byte)
    return undefined
  })
  const connection = await SmtpConnection.open(readSmtpUrl(url), times)
  ends.push(() => connection.destroy())
  for (let count = 0; count < 3; count += 1) {
    expect(await connection.submit(envelope, message)).toMatchObject({ kind: 'taken' })
  }
})

test('an email that is accepted before its end was sent is uncertain', async () => {
  const url = await scripted((line, socket) => {
    if (line !== 'DATA') return good[verbOf(line)]
    // Nothing of the email is read, so that most of it cannot be written.
    socket.pause()
    socket.write('354 go on\r\n')
    setTimeout(() => socket.write('250 2.0.0 taken\r\n'), 50)
    return undefined
  })
  const connection = await SmtpConnection.open(readSmtpUrl(url), { ...times, answerMs: 5_000 })
  ends.push(() => connection.destroy())
  const large = Buffer.from(`Subject: x\r\n\r\n${'line\r\n'.repeat(4_000_000)}`)
  expect(await connection.submit(envelope, large)).toMatchObject({ kind: 'lost', written: true })
  expect(connection.isOpen).toBe(false)
})

test('the login uses a method that the server offers', async () => {
  for (const offer of ['AUTH PLAIN LOGIN', 'AUTH LOGIN']) {
    const said: string[] = []
    const url: string = await listen((line): string => {
      said.push(line)
      if (line.startsWith('EHLO')) return `250-odd\r\n250 ${offer}`
      if (line === 'AUTH LOGIN' || said.at(-2) === 'AUTH LOGIN') return '334 more'
      return '235 2.7.0 welcome'
    })
    const connection = await SmtpConnection.open(
      readSmtpUrl(url.replace('smtp://', 'smtp://us%40er:pass%3Aword@')),
    )
    connection.destroy()
    const texts = said
      .slice(1)
      .map((line) => Buffer.from(line.split(' ').at(-1) ?? '', 'base64').toString())
    expect(texts.join('|')).toContain('us@er')
    expect(texts.join('|')).toContain('pass:word')
  }
})

test('TLS is required for other hosts, unless the URL disables it', () => {
  const tlsOf = (url: string) => readSmtpUrl(url).tls
  expect(tlsOf('smtp://mail.example.test')).toBe('required')
  expect(tlsOf('smtp://127.0.0.1:25')).toBe('offered')
  expect(tlsOf('smtp://localhost?requireTLS=true')).toBe('required')
  expect(tlsOf('smtp://mail:1025?ignoreTLS=true')).toBe('never')
  expect(tlsOf('smtps://mail.example.test')).toBe('at_once')
  expect(readSmtpUrl('smtp://[::1]:2525')).toMatchObject({
    host: '::1',
    port: 2525,
    tls: 'offered',
  })
  expect(() => readSmtpUrl('smtp://x?maxConnections=0')).toThrow('maxConnections')
})

test.each(['smtp', 'smtps'] as const)(
  'an email is sent over TLS with a login: %s',
  async (scheme) => {
    const seen: unknown[] = []
    const server = new SMTPServer({
      secure: scheme === 'smtps',
      onAuth: ({ username, password }, session, done) => {
        seen.push([username, password, session.secure])
        done(null, { user: 'us' })
      },
      onData: (stream, session, done) => {
        stream.resume()
        stream.once('end', () => {
          seen.push(session.envelope.rcptTo.map(({ address }) => address))
          done()
        })
      },
    })
    server.on('error', () => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(() => new Promise<void>((resolve) => server.close(resolve)))
    const { port } = server.server.address() as AddressInfo
    const url = `${scheme}://us:secret@127.0.0.1:${port}?requireTLS=true`
    // The certificate is self-signed.
    await expect(SmtpConnection.open(readSmtpUrl(url))).rejects.toThrow(SmtpUnavailable)
    const connection = await SmtpConnection.open(readSmtpUrl(`${url}&rejectUnauthorized=false`))
    expect(await connection.submit(envelope, message)).toMatchObject({ kind: 'taken' })
    await connection.close()
    expect(seen).toEqual([['us', 'secret', true], [envelope.to]])
  },
)

test('a server without TLS gets no password when TLS is required', async () => {
  const said: string[] = []
  const url = await listen((line) => {
    said.push(line)
    return '250 odd'
  })
  const settings = readSmtpUrl(`${url.replace('smtp://', 'smtp://us:secret@')}?requireTLS=true`)
  await expect(SmtpConnection.open(settings)).rejects.toThrow('TLS')
  expect(said.join()).not.toContain('AUTH')
})
