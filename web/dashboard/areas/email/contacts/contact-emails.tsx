import { Button } from '../../../design/button.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { type Item, usePages } from '../../../http/use-pages.ts'
import { BounceType, bounceCauses } from '../bounces/bounce-words.tsx'
import { NewsletterName } from '../lists/newsletter-name.tsx'
import { SendStatus, sendKinds } from '../sends/send-words.tsx'

type Email = Item<'GET /api/v1/admin/email/contacts/{contact_id}/emails'>

const pageSize = 25

/** What was sent to this person, in all newsletters, newest first. */
export function ContactEmails({ contactId }: { readonly contactId: string }) {
  const pages = usePages(
    'GET /api/v1/admin/email/contacts/{contact_id}/emails',
    { params: { contact_id: contactId }, query: { limit: pageSize } },
    { topics: ['campaigns'] },
  )
  return (
    <Panel title="Emails" flush>
      {pages.problem !== undefined ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={3} />
      ) : pages.items.length === 0 ? (
        <p class="panel-body soft">
          No email to this address is stored. Emails are kept for 90 days.
        </p>
      ) : (
        <DataTable
          label="Emails"
          items={pages.items}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Subject',
              cell: (email) => (
                <>
                  <a href={addressOf(email)}>{email.subject}</a>
                  <div class="soft small">
                    {email.kind === 'campaign' ? 'Campaign' : sendKinds[email.kind]}
                    {email.newsletter !== null && (
                      <>
                        {' · '}
                        <NewsletterName slug={email.newsletter} />
                      </>
                    )}
                  </div>
                </>
              ),
            },
            { head: 'State', cell: (email) => <State email={email} /> },
            { head: 'Opened', secondary: true, cell: ({ openedAt }) => <Seen at={openedAt} /> },
            { head: 'Clicked', secondary: true, cell: ({ clickedAt }) => <Seen at={clickedAt} /> },
            {
              head: 'Delivered',
              cell: ({ deliveredAt, at }) =>
                deliveredAt === null ? (
                  <span class="soft">
                    created <Time at={at} />
                  </span>
                ) : (
                  <Time at={deliveredAt} />
                ),
            },
          ]}
        />
      )}
      {pages.hasMore && (
        <p class="panel-body">
          <Button busy={pages.isLoadingMore} onClick={pages.loadMore}>
            Show more
          </Button>
        </p>
      )}
    </Panel>
  )
}

function addressOf({ kind, id, contactId }: Email): string {
  return kind === 'campaign'
    ? `/email/campaigns/${id}?tab=deliveries&opened=${contactId ?? ''}`
    : `/email/sends/${id}`
}

function State({ email: { status, reason, bounce } }: { readonly email: Email }) {
  return (
    <div class="contact-email-state">
      {bounce === null ? (
        <span title={reason ?? undefined}>
          <SendStatus status={status} />
        </span>
      ) : (
        <>
          <BounceType bounce={bounce} />
          <div class="soft small" title={bounce.excerpt ?? undefined}>
            {bounce.cause === null ? 'Reported' : bounceCauses[bounce.cause]},{' '}
            <Time at={bounce.at} />
          </div>
        </>
      )}
    </div>
  )
}

function Seen({ at }: { readonly at: string | null }) {
  return at === null ? <span class="soft">–</span> : <Time at={at} />
}
