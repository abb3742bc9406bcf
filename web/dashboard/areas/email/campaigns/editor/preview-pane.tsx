import { useEffect, useState } from 'preact/hooks'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { Combobox } from '../../../../design/forms/combobox.tsx'
import { CheckField } from '../../../../design/forms/field.tsx'
import { hrefOf, type Reply, request } from '../../../../http/request.ts'
import { useRead } from '../../../../http/use-read.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { PreviewFrame } from './preview-frame.tsx'
import { previewLookNamed, previewLooks } from './preview-looks.ts'

type Preview = Reply<'POST /api/v1/admin/email/campaigns/{campaign_id}/preview'>

/** The email as one contact gets it: wide, narrow, dark, or as text. */
export function PreviewPane({
  campaignId,
  newsletter,
  version,
}: {
  readonly campaignId: string
  readonly newsletter: string
  readonly version: string
}) {
  const { get, set } = useSearchParams()
  const look = previewLookNamed(get('view'))
  const contactId = get('contact')
  const images = get('images') === 'load' ? 'load' : 'block'
  const { preview, problem, retry } = usePreview(campaignId, contactId, version)
  const src = hrefOf('GET /api/v1/admin/email/campaigns/{campaign_id}/preview.html', {
    params: { campaign_id: campaignId },
    query: {
      ...(contactId === undefined ? {} : { contactId }),
      scheme: look.scheme,
      images,
    },
  })
  return (
    <section class="preview" aria-label="Preview">
      <div class="preview-bar">
        <fieldset class="choices">
          <legend class="screen-reader">Look of the preview</legend>
          {previewLooks.map(({ name, label }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === look.name}
              onClick={() => set({ view: name === 'wide' ? undefined : name }, 'replace')}
            >
              {label}
            </button>
          ))}
        </fieldset>
        <ContactPicker
          newsletter={newsletter}
          contactId={contactId}
          onContact={(id) => set({ contact: id }, 'replace')}
        />
        {look.name !== 'text' && (
          <CheckField
            label="Load images"
            checked={images === 'load'}
            onChecked={(checked) => set({ images: checked ? 'load' : undefined }, 'replace')}
          />
        )}
      </div>
      {preview !== undefined && (
        <div class="preview-facts">
          <p class="preview-subject" title={preview.subject}>
            {preview.subject}
          </p>
          {contactId !== undefined && preview.missing.length > 0 && (
            <p class="small soft">
              No value for {preview.missing.map((value) => `{{${value}}}`).join(', ')}
            </p>
          )}
          {preview.warnings.map((warning) => (
            <p key={warning} class="small preview-warning">
              {warning}
            </p>
          ))}
        </div>
      )}
      {problem !== undefined ? (
        <ProblemBox problem={problem} onRetry={retry} isManual />
      ) : look.name === 'text' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the text.
        <pre class="preview-text" tabIndex={0}>
          {preview?.text ?? ''}
        </pre>
      ) : (
        <PreviewFrame src={src} version={version} width={look.width} title="Preview of the email" />
      )}
    </section>
  )
}

function usePreview(campaignId: string, contactId: string | undefined, version: string) {
  const [preview, setPreview] = useState<Preview>()
  const [problem, setProblem] = useState<Error>()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const ended = new AbortController()
    const input = {
      params: { campaign_id: campaignId },
      body: contactId === undefined ? {} : { contactId },
    }
    request('POST /api/v1/admin/email/campaigns/{campaign_id}/preview', input, ended.signal).then(
      (reply) => {
        setPreview(reply)
        setProblem(undefined)
      },
      (error: Error) => {
        if (!ended.signal.aborted) setProblem(error)
      },
    )
    return () => ended.abort()
  }, [campaignId, contactId, version, attempt])
  return { preview, problem, retry: () => setAttempt((count) => count + 1) }
}

/** Searches the subscribers; the first ones are there without typing. */
function ContactPicker({
  newsletter,
  contactId,
  onContact,
}: {
  readonly newsletter: string
  readonly contactId: string | undefined
  readonly onContact: (id: string | undefined) => void
}) {
  const [text, setText] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), 250)
    return () => clearTimeout(timer)
  }, [text])
  const contacts = useRead(
    'GET /api/v1/admin/email/contacts',
    { query: { newsletter, status: 'subscribed', limit: 20, query: asked } },
    { keepPrevious: true },
  )
  const chosen = useRead(
    'GET /api/v1/admin/email/contacts/{contact_id}',
    { params: { contact_id: contactId ?? '' } },
    { enabled: contactId !== undefined },
  )
  const one = contactId === undefined ? undefined : chosen.data
  const found = (contacts.data?.items ?? []).filter(({ id }) => id !== one?.id)
  const choices = [...(one === undefined ? [] : [one]), ...found].map((contact) => ({
    value: contact.id,
    label: contact.email ?? contact.name ?? contact.id,
  }))
  return (
    <div class="preview-contact">
      <Combobox
        key={one?.id ?? 'nobody'}
        label="Preview as"
        hideLabel
        placeholder="Preview as a contact …"
        choices={choices}
        value={one?.id}
        onText={setText}
        onValue={(id) => onContact(id)}
      />
      {contactId !== undefined && (
        <button type="button" class="preview-nobody" onClick={() => onContact(undefined)}>
          Nobody
        </button>
      )}
    </div>
  )
}
