import { beforeEach, describe, expect, test } from 'vitest'
import { Autosave, type SaveState, type Verdict } from './autosave.ts'

interface Fields {
  readonly subject: string
  readonly markdown: string
}

let timers: { run: () => void; ms: number }[]
let states: SaveState['kind'][]
let sent: { change: Partial<Fields>; version: string }[]
let answers: (string | Verdict)[]
let unsaved: { change: Partial<Fields>; version: string }[]

beforeEach(() => {
  timers = []
  states = []
  sent = []
  answers = []
  unsaved = []
})

function start(earlier?: Partial<Fields>) {
  return new Autosave<Fields>({
    version: 'v0',
    unsaved: earlier,
    onUnsaved: (change, version) => unsaved.push({ change, version }),
    save: async (change, version) => {
      sent.push({ change, version })
      const answer = answers.shift() ?? `v${sent.length}`
      if (/^v\d/.test(answer)) return answer
      throw Object.assign(new Error(answer), { verdict: answer })
    },
    judge: (error) => (error as { verdict: Verdict }).verdict,
    onState: ({ kind }) => states.push(kind),
    setTimer: (run, ms) => {
      const timer = { run, ms }
      timers.push(timer)
      return timer
    },
    clearTimer: (timer) => {
      timers = timers.filter((one) => one !== timer)
    },
  })
}

/** Lets every planned save run. */
async function tick(autosave: Autosave<Fields>) {
  const due = timers
  timers = []
  for (const { run } of due) run()
  await Promise.resolve()
  await autosave.flush()
}

describe('an edit', () => {
  test('is saved with the version that it was made on', async () => {
    const autosave = start()
    autosave.edit({ subject: 'a' })
    autosave.edit({ markdown: 'b' })
    expect(timers).toHaveLength(1)
    await tick(autosave)
    expect(sent).toEqual([{ change: { subject: 'a', markdown: 'b' }, version: 'v0' }])
    expect(autosave.state).toEqual({ kind: 'saved', at: 'v1' })
    autosave.edit({ subject: 'c' })
    expect(autosave.isDirty).toBe(true)
    await autosave.flush()
    expect(sent[1]).toEqual({ change: { subject: 'c' }, version: 'v1' })
    expect(autosave.isDirty).toBe(false)
  })

  test('during a save is sent afterwards, not at the same time', async () => {
    const autosave = start()
    autosave.edit({ subject: 'a' })
    const first = autosave.flush()
    autosave.edit({ subject: 'b' })
    await first
    expect(autosave.state.kind).toBe('unsaved')
    await autosave.flush()
    expect(sent.map(({ change, version }) => [change.subject, version])).toEqual([
      ['a', 'v0'],
      ['b', 'v1'],
    ])
  })

  test('that is refused is sent again with the next one', async () => {
    const autosave = start()
    answers = ['refused']
    autosave.edit({ subject: '', markdown: 'kept' })
    await autosave.flush()
    expect(autosave.state.kind).toBe('refused')
    autosave.edit({ subject: 'a' })
    expect(await autosave.flush()).toBe(true)
    expect(sent[1]?.change).toEqual({ subject: 'a', markdown: 'kept' })
  })

  test('without an answer is tried again, later each time', async () => {
    const autosave = start()
    answers = ['waiting', 'waiting', 'waiting']
    autosave.edit({ subject: 'a' })
    await autosave.flush()
    const waits: number[] = []
    for (let round = 0; round < 2; round += 1) {
      waits.push(timers[0]!.ms)
      await tick(autosave)
    }
    expect(waits[1]).toBeGreaterThan(waits[0]!)
    await tick(autosave)
    expect(autosave.state.kind).toBe('saved')
    expect(sent.at(-1)).toEqual({ change: { subject: 'a' }, version: 'v0' })
  })
})

describe('a conflict', () => {
  async function conflict() {
    const autosave = start()
    answers = ['conflict']
    autosave.edit({ subject: 'mine' })
    await autosave.flush()
    expect(autosave.state.kind).toBe('conflict')
    return autosave
  }

  test('stops saving, also when more is typed', async () => {
    const autosave = await conflict()
    autosave.edit({ markdown: 'more' })
    expect(await autosave.flush()).toBe(false)
    expect(timers).toHaveLength(0)
    expect(sent).toHaveLength(1)
    expect(autosave.pending).toEqual({ subject: 'mine', markdown: 'more' })
  })

  test('is decided for the text of this page', async () => {
    const autosave = await conflict()
    answers = []
    expect(await autosave.overwrite('v7')).toBe(true)
    expect(sent.at(-1)).toEqual({ change: { subject: 'mine' }, version: 'v7' })
  })

  test('is decided for the other text', async () => {
    const autosave = await conflict()
    autosave.accept('v7')
    expect(autosave.state).toEqual({ kind: 'saved', at: 'v7' })
    expect(autosave.pending).toEqual({})
    autosave.edit({ subject: 'next' })
    await autosave.flush()
    expect(sent.at(-1)).toEqual({ change: { subject: 'next' }, version: 'v7' })
  })
})

test('a campaign that is no draft any more is not saved again', async () => {
  const autosave = start()
  answers = ['ended']
  autosave.edit({ subject: 'a' })
  await autosave.flush()
  autosave.edit({ subject: 'b' })
  await autosave.flush()
  expect(sent).toHaveLength(1)
  expect(autosave.state.kind).toBe('ended')
})

test('nothing is reported after the page has gone', async () => {
  const autosave = start()
  autosave.edit({ subject: 'a' })
  const before = states.length
  autosave.dispose()
  await autosave.flush()
  expect(states).toHaveLength(before)
  expect(sent).toHaveLength(1)
})

describe('what would be lost', () => {
  test('is told with each edit, while it is saved, and when nothing is left', async () => {
    const autosave = start()
    autosave.edit({ subject: 'a' })
    const saving = autosave.flush()
    autosave.edit({ markdown: 'b' })
    await saving
    await autosave.flush()
    expect(unsaved).toEqual([
      { change: { subject: 'a' }, version: 'v0' },
      { change: { subject: 'a', markdown: 'b' }, version: 'v0' },
      { change: { markdown: 'b' }, version: 'v1' },
      { change: {}, version: 'v2' },
    ])
  })

  test('stays known after a conflict, until the person decides', async () => {
    answers = ['conflict']
    const autosave = start()
    autosave.edit({ subject: 'a' })
    await tick(autosave)
    autosave.edit({ markdown: 'b' })
    expect(unsaved.at(-1)).toEqual({ change: { subject: 'a', markdown: 'b' }, version: 'v0' })
    autosave.accept('v7')
    expect(unsaved.at(-1)).toEqual({ change: {}, version: 'v7' })
  })

  test('of an earlier visit is saved in a moment, on the version that it was made on', async () => {
    const autosave = start({ subject: 'a' })
    expect(autosave.isDirty).toBe(true)
    await tick(autosave)
    expect(sent).toEqual([{ change: { subject: 'a' }, version: 'v0' }])
    expect(unsaved.at(-1)).toEqual({ change: {}, version: 'v1' })
  })
})
