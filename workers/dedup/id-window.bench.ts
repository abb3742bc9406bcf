/** Run by hand: `npx vitest bench --run --project unit workers/dedup`. One round is 1,000 ids. */
import { bench, describe } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { IdWindow } from './id-window.ts'

const idsPerRound = 1_000
const project = 1 as ProjectId
const now = 1_795_000_000

function filled(count: number): IdWindow {
  const window = new IdWindow()
  for (let index = 0; index < count; index += 1) enter(window, index, now)
  return window
}

function enter(window: IdWindow, index: number, second: number): void {
  const { fingerprinter } = window
  fingerprinter.ofWords(project, 0, 0, 0, index)
  window.enter(fingerprinter.a, fingerprinter.b, fingerprinter.c, second)
}

function look(window: IdWindow, from: number): boolean {
  const { fingerprinter } = window
  let found = false
  for (let index = from; index < from + idsPerRound; index += 1) {
    fingerprinter.ofWords(project, 0, 0, 0, index)
    found = window.has(fingerprinter.a, fingerprinter.b, fingerprinter.c, now) || found
  }
  return found
}

describe.each([10_000, 1_000_000, 4_000_000])('%i ids', (count) => {
  const window = filled(count)
  let next = 0
  bench('look up 1,000 new ids', () => {
    next += idsPerRound
    look(window, count + (next % 100_000_000))
  })
  bench('look up 1,000 known ids', () => {
    next += idsPerRound
    look(window, next % (count - idsPerRound))
  })
})

describe('a full window', () => {
  const window = new IdWindow({ idsMax: 1_000_000 })
  let next = 0
  bench('enter 1,000 ids while as many leave', () => {
    for (let at = 0; at < idsPerRound; at += 1) {
      enter(window, next, now + Math.floor(next / 10_000))
      next += 1
    }
  })
})
