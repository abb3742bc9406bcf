import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { LiveChange } from '#schemas/rest/live.ts'
import { LiveStream, stalledMsMax } from './live-stream.ts'

const change = (no: number): LiveChange => ({ topic: 'issues', ids: [`issue-${no}`] })

/** A socket that takes nothing until it is told to. */
function slowReader() {
  const taken: string[] = []
  let goOn: (() => void) | undefined
  let isOpen = false
  const socket = new Writable({
    highWaterMark: 1,
    write: (chunk, _encoding, done) => {
      taken.push(String(chunk))
      if (isOpen) done()
      else goOn = done
    },
  })
  const read = () => {
    isOpen = true
    goOn?.()
  }
  return { socket, taken, read }
}

test('a reader that does not read costs little, however much changes', async () => {
  const { socket, taken, read } = slowReader()
  const stream = new LiveStream('a.0')
  stream.pipe(socket)
  for (let no = 0; no < 10_000; no++) {
    stream.announce([change(no), { topic: 'monitors', ids: null }], `a.${no}`)
    if (no % 1_000 === 0) await new Promise(setImmediate)
  }
  expect(stream.readableLength).toBeLessThan(32 * 1024)
  read()
  await expect.poll(() => taken.join('')).toContain('a.9999')
  // The rest is told in two messages.
  expect(taken.join('')).toContain('{"topic":"issues","ids":null}')
})

test('a reader that does not read for long is disconnected, one that is slow is not', async () => {
  const { socket, read } = slowReader()
  const stream = new LiveStream('a.0')
  stream.pipe(socket)
  for (let no = 0; no < 1_000; no++) stream.announce([change(no)], `a.${no}`)
  await new Promise(setImmediate)
  for (let no = 0; no < 1_000; no++) stream.announce([change(no)], `a.${no}`)
  stream.keepAlive(0, 'a.1')
  stream.keepAlive(stalledMsMax - 1, 'a.1')
  expect(stream.destroyed).toBe(false)
  stream.keepAlive(stalledMsMax, 'a.1')
  expect(stream.destroyed).toBe(true)
  read()
})

test('what is announced after the end is not sent', async () => {
  const stream = new LiveStream('a.0')
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  stream.end()
  stream.end()
  stream.announce([change(1)], 'a.1')
  stream.keepAlive(0, 'a.1')
  await expect.poll(() => stream.destroyed).toBe(true)
  expect(text).toBe('retry: 2000\nid: a.0\n\n')
})
