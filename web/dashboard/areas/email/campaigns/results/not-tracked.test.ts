import { expect, test } from 'vitest'
import { notTracked } from './not-tracked.ts'

const all = { opens: true, clicks: true, contacts: true }

// biome-ignore format: the columns are the point
test.each([
  ['nothing',         { opens: false, clicks: false, contacts: false }, false, /^Opens and clicks are not tracked\. Replies/],
  ['clicks alone',    { opens: false, clicks: true, contacts: true },   false, /^Opens are not tracked\. Replies/],
  ['opens alone',     { opens: true, clicks: false, contacts: true },   false, /^Clicks are not tracked\. Opens are an upper bound/],
  ['without people',  { ...all, contacts: false },                      false, /several times/],
  ['everything',      all,                                              false, /^Opens are an upper bound: [^.]+\. Replies[^.]+\.$/],
  ['long ago',        all,                                              true,  /deleted/],
] as const)('%s', (_name, tracks, hitsExpired, wanted) => {
  expect(notTracked({ tracks, hitsExpired }).join(' ')).toMatch(wanted)
})
