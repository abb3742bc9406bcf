/**
 * HTTP/1.1 as bytes on a socket, so that a test decides what every byte is and when it leaves: chunked
 * or cut bodies, pipelined requests, headers that no client would write.
 */
import { connect, type Socket } from 'node:net'

export interface RawRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** Chunked, with so many bytes in each chunk; without it the body has a Content-Length. */
  readonly chunkBytes?: number
}

export interface RawResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const answerMsMax = 30_000

export async function send(url: string, request: RawRequest): Promise<RawResponse> {
  const [response] = await exchange(url, [requestBytes(request)])
  if (response === undefined) throw new Error(`no answer to ${request.path}`)
  return response
}

/** Writes the pieces one after the other and collects answers until there are enough or the server ends. */
export async function exchange(
  url: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  wanted = 1,
): Promise<RawResponse[]> {
  const socket = openSocket(url)
  const answers = readAnswers(socket, wanted)
  try {
    for await (const piece of pieces) {
      if (socket.destroyed || !socket.writable) break
      if (!socket.write(piece)) await drained(socket)
    }
    return await answers
  } finally {
    socket.destroy()
  }
}

/** For requests that are never finished. The caller ends it. */
export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  // A server may cut off what it does not want; what it answered until then counts.
  socket.on('error', () => undefined)
  return socket
}

export function requestBytes(request: RawRequest): Buffer {
  const { method = 'POST', path, body = '', chunkBytes } = request
  const bytes = Buffer.from(body)
  const length =
    chunkBytes === undefined ? { 'Content-Length': String(bytes.length) } : chunkedHeader
  const headers = { Host: 'sluice.test', ...length, ...request.headers }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return Buffer.concat([head, ...(chunkBytes === undefined ? [bytes] : chunks(bytes, chunkBytes))])
}

const chunkedHeader = { 'Transfer-Encoding': 'chunked' }

function* chunks(bytes: Buffer, chunkBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes)
    yield Buffer.concat([
      Buffer.from(`${chunk.length.toString(16)}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ])
  }
  yield Buffer.from('0\r\n\r\n')
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve)
    socket.once('close', () => resolve())
  })
}

function readAnswers(socket: Socket, wanted: number): Promise<RawResponse[]> {
  return new Promise((resolve, reject) => {
    const answers: RawResponse[] = []
    let unread: Buffer = Buffer.alloc(0)
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`${answers.length} of ${wanted} answers after ${answerMsMax} ms`))
    }, answerMsMax)
    const end = () => {
      clearTimeout(timer)
      resolve(answers)
    }
    socket.on('close', end)
    socket.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk])
      for (let next = readAnswer(unread); next !== undefined; next = readAnswer(unread)) {
        // "Go on" is no answer.
        if (next.response.status !== 100) answers.push(next.response)
        unread = next.rest
      }
      if (answers.length >= wanted) end()
    })
  })
}

function readAnswer(bytes: Buffer): { response: RawResponse; rest: Buffer } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const bodyStart = headEnd + 4
  const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0)
  if (bytes.length < bodyEnd) return undefined
  const body = bytes.toString('utf8', bodyStart, bodyEnd)
  const status = Number(statusLine.split(' ')[1])
  return { response: { status, headers, body }, rest: bytes.subarray(bodyEnd) }
}
