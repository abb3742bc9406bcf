import { expect, test } from 'vitest'
import {
  bodyOf,
  draftOf,
  filterOf,
  isChanged,
  newDraft,
  newTarget,
  previewBodyOf,
  type Rule,
} from './draft.ts'

const state = { enabled: true, disabled_at: null, disabled_reason: null, paused_until: null }
const rule: Rule = {
  id: 'rule-1',
  name: 'Checkout',
  enabled: true,
  when: [{ type: 'event_count', threshold: 5, window_seconds: 60, compared_to: 'absolute' }],
  if: { level: ['error'] },
  then: [
    { type: 'slack', url: 'https://hooks.slack.com', id: 'target-1', ...state },
    { type: 'ntfy', url: 'https://ntfy.test/topic', has_token: true, id: 'target-2', ...state },
  ],
  cooldown_seconds: 60,
  digest_seconds: 60,
  quiet_hours: null,
  muted_until: null,
  is_default: false,
  last_fired_at: null,
  created_at: '2026-11-20T00:00:00.000Z',
  updated_at: '2026-11-20T00:00:00.000Z',
  warnings: [],
}

test('a stored rule is sent back without its secrets and what the server adds', () => {
  expect(bodyOf(draftOf(rule))).toEqual({
    name: 'Checkout',
    enabled: true,
    when: rule.when,
    if: { level: ['error'] },
    then: [
      { type: 'slack', id: 'target-1', enabled: true },
      { type: 'ntfy', id: 'target-2', enabled: true, url: 'https://ntfy.test/topic' },
    ],
    cooldown_seconds: 60,
    digest_seconds: 60,
    quiet_hours: null,
    muted_until: null,
  })
})

test('a rule is changed when something that is sent differs', () => {
  const draft = draftOf(rule)
  expect(isChanged(draft, rule)).toBe(false)
  expect(isChanged({ ...draft, if: { level: ['error'], environment: [] } }, rule)).toBe(false)
  expect(isChanged({ ...draft, name: 'Other' }, rule)).toBe(true)
  expect(isChanged({ ...draft, then: draft.then.slice(1) }, rule)).toBe(true)
})

test('empty filters are left out', () => {
  const filter = { environment: [], query: '', tags: {}, unresolved: false, level: ['error'] }
  expect(filterOf(filter as Rule['if'])).toEqual({ level: ['error'] })
})

test('a preview leaves out targets whose secrets are not typed yet', () => {
  const draft = { ...newDraft(), then: [newTarget('webhook'), newTarget('email')] }
  expect(previewBodyOf(draft)).toMatchObject({
    name: 'Preview',
    then: [{ type: 'email', to: ['owners'] }],
  })
})

test('what is typed into a secret replaces it, an empty one keeps it', () => {
  const draft = draftOf(rule)
  const [slack, ntfy] = draft.then
  const typed = {
    ...draft,
    then: [
      { ...slack!, fields: { url: 'https://hooks.test/x' } },
      { ...ntfy!, fields: { url: '' } },
    ],
  }
  expect(bodyOf(typed)['then']).toEqual([
    { type: 'slack', id: 'target-1', enabled: true, url: 'https://hooks.test/x' },
    { type: 'ntfy', id: 'target-2', enabled: true },
  ])
})
