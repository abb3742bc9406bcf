import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Mailbox } from './mailbox.ts'

let folder: string
let nowMs = 1_700_000_000_000
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs }
const email = { from: '', to: [], subject: '', raw: Buffer.from('x') }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-mailbox-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('the oldest emails are deleted beyond the maximum, including those of an earlier run', async () => {
  const first = await Mailbox.open(folder, clock, 2)
  const ids = [await first.keep(email), await first.keep(email)]
  const second = await Mailbox.open(folder, clock, 2)
  const id = await second.keep(email)
  expect((await readdir(folder)).sort()).toEqual(
    [ids[1], id].flatMap((kept) => [`${kept}.eml`, `${kept}.json`]).sort(),
  )
})

test('ids keep their order when the clock stops or goes back', async () => {
  const mailbox = await Mailbox.open(folder, clock)
  const ids = [await mailbox.keep(email), await mailbox.keep(email)]
  nowMs -= 3_600_000
  ids.push(await mailbox.keep(email))
  const reopened = await Mailbox.open(folder, clock)
  ids.push(await reopened.keep(email))
  expect([...ids].sort()).toEqual(ids)
})
