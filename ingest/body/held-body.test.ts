import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { KiB } from '#schemas/limits.ts'
import { RequestLoad } from '../intake/request-load.ts'
import { HeldBody } from './held-body.ts'

function bodies() {
  const load = new RequestLoad(systemClock)
  const hold = (text: string): HeldBody => {
    const held = new HeldBody(load, systemClock, { expireBody: () => undefined })
    held.append(Buffer.from(text))
    return held
  }
  return { load, hold }
}

describe('a held body', () => {
  test('returns its buffer to the pool when it is released', () => {
    const { hold } = bodies()
    const first = hold('first')
    const memory = first.view().buffer
    first.release()
    expect(hold('second').view().buffer).toBe(memory)
  })

  test('does not return its buffer while work on it continues', async () => {
    const { load, hold } = bodies()
    const held = hold('mine')
    const body = held.view()
    let resolve = (): void => undefined
    const promise = new Promise<void>((done) => {
      resolve = done
    })
    const work = held.during(promise)
    held.release()
    const others = Array.from({ length: 300 }, () => hold('another'))
    expect(body.toString()).toBe('mine')
    expect(load.bufferedBytes).toBe(301 * 16 * KiB)
    resolve()
    await work
    await setImmediate()
    for (const other of others) other.release()
    expect(load.bufferedBytes).toBe(0)
  })

  test('that has grown is counted with its capacity, and returns all of it', () => {
    const { load, hold } = bodies()
    const held = hold('a')
    held.append(Buffer.alloc(100 * KiB, 'b'))
    expect(held.view().toString()).toBe(`a${'b'.repeat(100 * KiB)}`)
    // The pool's next size.
    expect(load.bufferedBytes).toBe(128 * KiB)
    held.release()
    expect(load.bufferedBytes).toBe(0)
  })
})
