import { expect, test } from 'vitest'
import { changesOf, formOfNewsletter } from './newsletter-fields.ts'

const stored = {
  name: 'Weekly',
  description: null,
  from_name: 'Ada',
  from_address: 'news@example.com',
  reply_to: null,
  confirm_signups: true,
  confirm_redirect_url: null,
  welcome_enabled: false,
  welcome_subject: null,
  welcome_markdown: null,
  archive_enabled: true,
  archive_noindex: false,
  track_opens: false,
  track_clicks: false,
  track_readers: false,
  postal_address: null,
  logo_url: null,
  footer: null,
  locale: 'en',
}

test('an untouched form changes nothing', () => {
  const form = formOfNewsletter(stored)
  expect(form.description).toBe('')
  expect(changesOf(form, { ...form })).toEqual({})
})

test('only what differs is sent, and emptied texts as null', () => {
  const form = formOfNewsletter(stored)
  const after = { ...form, from_name: '', reply_to: 'b@example.com', track_opens: true }
  expect(changesOf(form, after)).toEqual({
    from_name: null,
    reply_to: 'b@example.com',
    track_opens: true,
  })
})

test('an emptied required field is sent blank, so that the server names its rule', () => {
  const form = formOfNewsletter(stored)
  expect(changesOf(form, { ...form, name: '' })).toEqual({ name: '' })
})
