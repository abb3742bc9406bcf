/** The documentation of the event feed: its examples are valid, and it names every type. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FeedEvent } from './feed-event.ts'
import { webhookEvents } from './webhook.ts'

const page = readFileSync(
  new URL('../../../docs/notifications/event-feed.md', import.meta.url),
  'utf8',
)
const examples = [...page.matchAll(/```json\n([^`]+)```/g)].map(([, text]) => JSON.parse(text!))

test('every type has a shape, and the page names it', () => {
  const types = FeedEvent.options.map(({ shape }) => shape.type.value)
  expect(types).toEqual([...webhookEvents])
  for (const type of types) expect(page).toContain(`\`${type}\``)
})

test('every example is a body that can be sent', () => {
  const whole = examples.filter((example) => 'type' in example)
  expect(whole).toHaveLength(4)
  for (const example of whole) expect(FeedEvent.parse(example)).toEqual(example)
})

test('the part of a body is one of a comment', () => {
  const part = examples.find((example) => 'comment' in example)
  const { project, idea } = examples.find(({ type }) => type === 'idea.status_changed').data
  const [timestamp, data] = [new Date(0).toISOString(), { project, idea, ...part }]
  expect(FeedEvent.parse({ type: 'idea.commented', timestamp, data })).toMatchObject({ data })
})

test('an unknown field or type is refused', () => {
  const [event] = examples
  expect(FeedEvent.safeParse({ ...event, more: 1 }).success).toBe(false)
  expect(FeedEvent.safeParse({ ...event, type: 'contact.erased' }).success).toBe(false)
})
