import { expect, test } from 'vitest'
import { actorName, describeActivity } from './describe-activity.ts'

// biome-ignore format: one case a line
test.each([
  ['status',      { to: 'resolved', resolved_in: 'now', release: 'shop@1' },        'resolved it'],
  ['status',      { to: 'resolved', resolved_in: 'next_release' },                  'resolved it in the next release'],
  ['status',      { to: 'resolved', resolved_in: 'release', release: 'shop@2' },    'resolved it in shop@2'],
  ['status',      { to: 'resolved', resolved_in: 'commit', commit: '6b1f0c2d9e8a4b7c' }, 'resolved it by commit 6b1f0c2d9e8a'],
  ['status',      { to: 'unresolved' },                                             'reopened it'],
  ['status',      { to: 'ignored' },                                                'ignored it'],
  ['status',      { to: 'ignored', until: { escalating: true, events: 50 } },       'ignored it until it escalates or 50 events'],
  ['status',      { to: 'ignored', reason: 'Noise' },                               'ignored it: Noise'],
  ['assigned',    { to: { type: 'person', name: 'Ada' } },                          'assigned it to Ada'],
  ['assigned',    { to: { type: 'team', name: 'Back end' } },                       'assigned it to the team Back end'],
  ['assigned',    { to: null },                                                     'assigned it to nobody'],
  ['priority',    { from: 'high', to: 'low' },                                      'set the priority to low'],
  ['regressed',   { release: 'shop@2' },                                            'saw it again in shop@2, and reopened it'],
  ['escalating',  { count: 1_200, expected: 3.25 },                                 'saw 1,200 events in an hour, where 3.3 were expected'],
  ['returned',    { which: 'users', count: 10 },                                    'reopened it, because it had 10 users while ignored'],
  ['returned',    { which: 'at', until: '2026-11-21T01:00:00Z' },                   'reopened it, because its time of being ignored was over'],
  ['merged',      { hashes: ['a', 'b'] },                                           'merged another issue into it (2 grouping hashes)'],
  ['hashes_given', { hashes: ['a'] },                                               'split off 1 grouping hash'],
  ['a_new_kind',  {},                                                               'a new kind'],
  ['status',      { to: 17, until: 'x' },                                           'resolved it'],
])('%s %j', (kind, data, sentence) => {
  expect(describeActivity({ kind, data: data as Readonly<Record<string, unknown>>, actor: {} })).toBe(sentence)
})

// biome-ignore format: one case a line
test.each([
  [{ type: 'person', label: 'Ada' },                'Ada'],
  [{ type: 'token', label: 'ci' },                  'Token ci'],
  [{ type: 'system' },                              'Sluice'],
  [{ type: 'system', label: 'ownership rules' },    'Sluice (ownership rules)'],
  [{ type: 'command_line', label: 'root' },         'root'],
  [{},                                              'Somebody'],
])('%j is %s', (actor, name) => {
  expect(actorName(actor)).toBe(name)
})
