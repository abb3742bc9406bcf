/** Policies of the tables of portals. */
import { byRows, type Policies, walk } from './policy.ts'

export const portalPolicies = {
  portal_settings: { kind: 'key', why: 'One row for each project.' },
  portal_totals: { kind: 'key', why: 'One row for each project and status.' },
  enduser_secrets: { kind: 'kept', why: 'Made by people, one for each rotation.' },
  endusers: {
    kind: 'kept',
    why: 'Authors of ideas, votes and comments; made at a limited rate, erased on request.',
  },
  tags: { kind: 'kept', why: 'Made by people.' },
  ideas: { kind: 'kept', why: 'Written by end users; made at a limited rate, deleted by people.' },
  idea_counts: { kind: 'parent', parent: 'ideas', why: 'One row.' },
  idea_tags: { kind: 'parent', parent: 'ideas', why: 'One row for each tag.' },
  votes: { kind: 'parent', parent: 'ideas', why: 'One row for each end user.' },
  comments: { kind: 'parent', parent: 'ideas', why: 'Made at a limited rate, deleted by people.' },
  idea_events: { kind: 'parent', parent: 'ideas', why: 'One row for each decision of the team.' },
  portal_notices: byRows({
    age: { days: 90 },
    from: 'created_at',
    search: walk({ id: 'uuid' }),
    only: '(row.sent_at is not null or row.dropped is not null)',
    except: 'notifications that wait',
    why: 'Shows why a person got an email.',
  }),
  portal_optouts: {
    kind: 'kept',
    why: 'One row for each person who wants no notifications of a project.',
  },
} as const satisfies Policies
