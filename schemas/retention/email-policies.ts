/** Policies of the tables of newsletters, contacts and emails. */
import { byJob, byRows, type Policies, walk } from './policy.ts'

/** Days that single emails and deliveries are kept after they ended. */
export const emailDays = 90

export const emailPolicies = {
  newsletters: { kind: 'kept', why: 'Made by people.' },
  blocked_domains: { kind: 'kept', why: 'Made by people.' },
  sending_domains: { kind: 'kept', why: 'Made by people.' },
  allowed_from_domains: { kind: 'kept', why: 'Made by the operator.' },
  bounce_adapters: { kind: 'kept', why: 'Made by people.' },
  mail_transports: {
    kind: 'key',
    why: 'One row for each transport, and for each campaign while it is sent.',
  },

  addresses: byJob('expire_addresses', {
    age: { setting: 'emailEvents' },
    from: 'last_sent_at, else created_at',
    except: 'suppressed addresses, and those with a contact, an email or a bounce report',
    why: 'The address of a person to whom nothing else refers has no purpose. A suppression must stay: it prevents emails.',
  }),
  contacts: {
    kind: 'kept',
    why: 'Evidence of consent, and of the wish to get nothing. Who never confirms is deleted 30 days after the link expired (`expire_contacts`).',
  },
  contact_events: byRows({
    age: { setting: 'emailEvents' },
    from: 'at',
    search: walk({ id: 'uuid' }),
    only: `row.kind <> 'confirmed' and row.at < (
      select max(same.at) from contact_events same
      where same.contact_id = row.contact_id and same.kind = row.kind)`,
    except: 'every confirmation, and the newest event of each kind of a contact',
    why: 'What proves consent stays as long as the contact. Repetitions do not.',
  }),
  confirm_tokens: byJob('expire_contacts', {
    age: { days: 30 },
    from: 'expires_at',
    why: 'For a month the page can say that the link has expired. The proof is in `contact_events`.',
  }),
  data_requests: byJob('expire_contacts', {
    age: { days: 0 },
    from: 'expires_at',
    why: 'An expired link opens nothing.',
  }),
  erased_opt_outs: {
    kind: 'kept',
    why: 'A hash for each erased person who had unsubscribed, so that no import writes to them again.',
  },
  contact_imports: byRows({
    age: { setting: 'emailEvents' },
    from: 'finished_at',
    search: walk({ id: 'uuid' }),
    except: 'imports that have not ended',
    why: 'What an import did, with the first lines that it refused.',
  }),
  contact_import_chunks: byJob('expire_contacts', {
    age: { days: 1 },
    from: 'finished_at of the import',
    why: 'The uploaded file; the import has read it.',
  }),
  bounce_reports: byRows({
    age: { setting: 'emailEvents' },
    from: 'received_at',
    search: walk({ id: 'uuid' }),
    only: `(coalesce(row.received_at < (
        select max(same.received_at) from bounce_reports same
        where same.address_id = row.address_id and same.counted), false)
      or not exists (
        select from addresses where id = row.address_id and suppressed_at is not null))`,
    except: 'the newest reports of a suppressed address, from the last one that counted',
    why: 'Shows trends of a year. The report that explains a suppression stays as long as it.',
  }),

  sends: byJob('expire_emails', {
    age: { days: emailDays },
    from: 'finished_at',
    except: 'emails that have not ended',
    why: 'They hold the content of emails.',
  }),
  campaigns: { kind: 'kept', why: 'Written by people; shown in the archive.' },
  campaign_links: { kind: 'parent', parent: 'campaigns', why: 'The links of one email.' },
  campaign_counts: { kind: 'parent', parent: 'campaigns', why: 'One row.' },
  deliveries: byJob('expire_emails', {
    age: { days: emailDays },
    from: 'finished_at of the campaign',
    except: 'campaigns that have not ended',
    why: 'Who got a campaign. The counts stay with the campaign.',
  }),
  delivery_blocks: {
    kind: 'work',
    why: 'First attempts that wait or are on their way, by range; deleted when all have a result.',
  },
  tracking_hits: byJob('expire_emails', {
    age: { setting: 'emailEvents' },
    from: 'at',
    why: 'Anonymous after 90 days; then only the clicks of each link stay, as numbers.',
  }),
} as const satisfies Policies
