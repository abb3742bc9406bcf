import { describe, expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import type { Frame, NormalizedEvent } from '../normalize/event.ts'
import { Stacks } from './stacks.ts'

const project = 1 as ProjectId
const hour = Date.UTC(2026, 10, 20, 7)
const frame = (name: string, fields: object = {}): Frame =>
  ({ function: name, filename: 'cart.py', ...fields }) as Frame
const eventOf = (frames: readonly Frame[], fields: object = {}): NormalizedEvent =>
  ({ exceptions: [{ frames }], frames: [], threads: [], receivedAtMs: hour, ...fields }) as never

describe('The stacks of a range', () => {
  test('the first row carries the names, and later rows the id alone', () => {
    const stacks = new Stacks()
    const event = eventOf([frame('main', { in_app: false }), frame('add', { in_app: true })])
    const first = stacks.take(project, 'a', event)
    expect(first.names).toEqual({
      functions: ['main', 'add'],
      filenames: ['cart.py'],
      absPaths: [],
      modules: [],
      packages: [],
      inApp: 'yes',
    })
    expect(first.id).toBeGreaterThan(0)
    expect(stacks.take(project, 'a', event)).toEqual({ id: first.id, names: undefined })
  })

  test('another project, issue or frame is another stack', () => {
    const stacks = new Stacks()
    const ids = [
      stacks.take(project, 'a', eventOf([frame('add')])),
      stacks.take(2 as ProjectId, 'a', eventOf([frame('add')])),
      stacks.take(project, 'b', eventOf([frame('add')])),
      stacks.take(project, 'a', eventOf([frame('remove')])),
      stacks.take(project, 'a', eventOf([frame('add', { module: 'x' })])),
      stacks.take(project, 'a', eventOf([frame('add', { in_app: false })])),
    ]
    expect(ids.every(({ names }) => names !== undefined)).toBe(true)
    expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length)
  })

  test('the names stand once in each hour, under one id', () => {
    const stacks = new Stacks()
    const at = (receivedAtMs: number) =>
      stacks.take(project, 'a', eventOf([frame('add')], { receivedAtMs }))
    const { id } = at(hour)
    const names = { functions: ['add'] }
    expect(at(hour + 3_599_999)).toEqual({ id, names: undefined })
    expect(at(hour + 3_600_000)).toMatchObject({ id, names })
    // Rows of a range are not in the order of their times.
    expect(at(hour - 1)).toMatchObject({ id, names })
    expect(at(hour + 1)).toEqual({ id, names: undefined })
  })

  test('a row that was taken back does not keep the names', () => {
    const stacks = new Stacks()
    const event = eventOf([frame('add')])
    const { id } = stacks.take(project, 'a', event)
    stacks.forget()
    expect(stacks.take(project, 'a', event)).toMatchObject({ id, names: { functions: ['add'] } })
  })

  test('without frames of exceptions, the stack of the event or of a thread counts', () => {
    const stacks = new Stacks()
    const thread = (name: string, crashed: boolean) => ({ crashed, frames: [frame(name)] })
    const functionsOf = (event: NormalizedEvent) =>
      stacks.take(project, 'a', event).names?.functions
    expect(functionsOf(eventOf([], { frames: [frame('loose')] }))).toEqual(['loose'])
    const threads = [thread('other', false), thread('crash', true)]
    expect(functionsOf(eventOf([], { threads }))).toEqual(['crash'])
    expect(stacks.take(project, 'a', eventOf([]))).toEqual({ id: 0, names: undefined })
  })

  test('hostile frames are bounded and clean', () => {
    const stacks = new Stacks()
    const names = Array.from({ length: 100_000 }, (_, at) => frame(`f${at}\u0000\ud800`))
    const { functions = [] } = stacks.take(project, 'a', eventOf(names)).names ?? {}
    expect(functions).toHaveLength(500)
    expect(functions.at(-1)).toBe('f99999\ufffd')
    const long = stacks.take(project, 'a', eventOf([frame('x'.repeat(10_000))]))
    expect(long.names?.functions[0]).toHaveLength(250)
  })
})
