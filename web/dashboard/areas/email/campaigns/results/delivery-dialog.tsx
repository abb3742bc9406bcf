import { Badge } from '../../../../design/content/badge.tsx'
import { Facts } from '../../../../design/content/data-table.tsx'
import { Loaded } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { useRead } from '../../../../http/use-read.ts'
import { EmailHistory } from '../../sends/email-history.tsx'
import { deliveryStates } from './delivery-states.ts'

/** What happened to the email of a campaign to one contact. */
export function DeliveryDialog({
  campaignId,
  contactId,
  onClose,
}: {
  readonly campaignId: string
  readonly contactId: string
  readonly onClose: () => void
}) {
  const params = { campaign_id: campaignId, contact_id: contactId }
  const read = useRead(
    'GET /api/v1/admin/email/campaigns/{campaign_id}/deliveries/{contact_id}',
    { params },
    { topics: ['campaigns'] },
  )
  return (
    <Dialog title="Delivery" size="side" onClose={onClose}>
      <Loaded read={read}>
        {(delivery) => {
          const [word, tone] = deliveryStates[delivery.state]
          const { email, finishedAt, reason, attemptLog } = delivery
          return (
            <div class="stack">
              <Facts
                facts={[
                  {
                    name: 'To',
                    value: <a href={`/email/contacts/${contactId}`}>{email ?? 'Erased address'}</a>,
                  },
                  ...(delivery.name === null ? [] : [{ name: 'Name', value: delivery.name }]),
                ]}
              />
              {email === null ? (
                <p class="small soft">
                  The email cannot be shown any more: the values of this person were erased.
                </p>
              ) : (
                <p class="small">
                  <a
                    class="text-link"
                    href={`/email/campaigns/${campaignId}?tab=email&contact=${contactId}`}
                  >
                    Show the email of this person
                  </a>{' '}
                  <span class="soft">As it was sent, with the name and attributes of today.</span>
                </p>
              )}
              <EmailHistory
                {...delivery}
                start={null}
                end={
                  <li>
                    {finishedAt === null ? <span class="soft">now</span> : <Time at={finishedAt} />}
                    <div>
                      <Badge tone={tone}>{word}</Badge>
                      {reason !== null && attemptLog.length === 0 && <p class="mono">{reason}</p>}
                    </div>
                  </li>
                }
              />
            </div>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
