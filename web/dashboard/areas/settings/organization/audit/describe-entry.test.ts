import { describe, expect, test } from 'vitest'
import { detailWords, type Entry, nameOf, pathOf, subjectOf } from './describe-entry.ts'

const id = '01939c1e-7d00-7000-8000-000000000001'
const projectId = '01939c1e-7d00-7000-8000-000000000002'

function entry(given: Partial<Entry>): Entry {
  return {
    id,
    at: '2026-11-21T09:30:00.000Z',
    actor: 'owner@demo.test',
    person_id: null,
    via: 'login',
    action: 'team.created',
    subject_type: 'team',
    subject_id: id,
    subject_name: null,
    project_id: null,
    details: {},
    ip: null,
    ...given,
  }
}

describe('the name of a subject', () => {
  test.each<[string, Partial<Entry>, string | undefined]>([
    ['its present one', { subject_name: 'Billing', details: { name: 'Payments' } }, 'Billing'],
    ['the one that it had', { details: { slug: 'pay', name: 'Payments' } }, 'Payments'],
    ['its slug', { details: { slug: 'pay', name: '' } }, 'pay'],
    ['not a name that is no text', { details: { name: { from: 'a' } } }, undefined],
    ['not an empty name', { subject_name: '', details: { label: 'hook' } }, 'hook'],
    ['not an id', {}, undefined],
    ['an id that is a name', { subject_id: 'nightly-backup' }, 'nightly-backup'],
    ['none', { subject_id: null }, undefined],
  ])('%s', (_name, given, want) => expect(nameOf(entry(given))).toBe(want))
})

describe('a subject in words', () => {
  test.each<[string, Partial<Entry>, string]>([
    ['has its name', { subject_name: 'Billing' }, 'Billing'],
    ['was deleted', { subject_type: 'bounce_adapter' }, 'deleted bounce adapter'],
    ['left the organization', { subject_type: 'person' }, 'former person'],
    ['has an empty name', { subject_type: 'webhook', subject_name: '' }, 'webhook'],
    ['has no id', { subject_type: 'installation', subject_id: null }, 'installation'],
  ])('%s', (_name, given, want) => expect(subjectOf(entry(given))).toBe(want))
})

describe('the page of a subject', () => {
  const known = { subject_name: 'x', project_id: projectId }
  test.each<[string, Partial<Entry>, string | undefined]>([
    ['a person', { subject_type: 'person' }, '/organization'],
    ['a campaign', { ...known, subject_type: 'campaign' }, `/email/campaigns/${id}`],
    ['a deleted campaign', { subject_type: 'campaign' }, undefined],
    ['a rule', { ...known, subject_type: 'alert' }, `/projects/${projectId}/alerts/${id}`],
    ['a project', { ...known, subject_type: 'project' }, `/projects/${projectId}/settings`],
    ['a deleted rule', { subject_type: 'alert' }, undefined],
    [
      'a newsletter with a slash in its slug',
      { ...known, subject_type: 'newsletter', details: { slug: 'a/b' } },
      '/email/newsletters/a%2Fb',
    ],
    ['an email', { ...known, subject_type: 'email' }, `/email/sends/${id}`],
    [
      'a delivery of a rule',
      { ...known, subject_type: 'delivery', details: { rule_id: id } },
      `/projects/${projectId}/alerts/${id}?tab=deliveries`,
    ],
    [
      'a delivery of a webhook',
      { subject_name: 'x', subject_type: 'delivery', details: { webhook_id: id } },
      `/organization/webhooks?deliveries=${id}`,
    ],
    [
      'a monitor with a slash in its slug',
      { subject_type: 'monitor', subject_id: 'a/b', details: { project_id: projectId } },
      `/projects/${projectId}/monitors/a%2Fb`,
    ],
    [
      'a deleted monitor',
      {
        action: 'monitor.deleted',
        subject_type: 'monitor',
        subject_id: 'nightly',
        details: { project_id: projectId },
      },
      undefined,
    ],
    ['an unknown type', { ...known, subject_type: 'installation' }, undefined],
  ])('%s', (_name, given, want) => expect(pathOf(entry(given))).toBe(want))
})

describe('the details', () => {
  test.each<[string, object, string]>([
    ['none', {}, ''],
    ['without ids', { project_id: 'x', login_id: 'y', ids: ['z'], newsletterId: 'n' }, ''],
    [
      'without values that are ids',
      { into: id, moved: [id, projectId], original: 'Dark mode' },
      'original Dark mode',
    ],
    ['without the name', { name: 'Payments', members: 3 }, 'members 3'],
    ['in words', { rowsDone: 12, dry_run: false, file: null }, 'rows done 12 · dry run no'],
    [
      'lists',
      { fields: ['a', 'b', 'c', 'd', 'e'], targets: [] },
      'fields a, b, c and 2 more · targets none',
    ],
    ['objects', { from: { slug: 'a' }, to: '' }, 'from {"slug":"a"} · to empty'],
  ])('%s', (_name, details, want) => {
    expect(detailWords(entry({ details: details as Entry['details'] }))).toBe(want)
  })
})
