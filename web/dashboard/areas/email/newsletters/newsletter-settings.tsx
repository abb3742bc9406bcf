import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, TextAreaField, TextField } from '../../../design/forms/field.tsx'
import { editReply } from '../../../http/edit-cache.ts'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { canWrite } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { changesOf, formOfNewsletter, type NewsletterForm } from './newsletter-fields.ts'

const one = 'GET /api/v1/organization/newsletters/{newsletter}'
type Newsletter = Reply<typeof one>

/** Every setting of a newsletter; only those that were changed are sent. */
export function NewsletterSettings({ newsletter }: { readonly newsletter: Newsletter }) {
  const [before, setBefore] = useState(() => formOfNewsletter(newsletter))
  const [form, setForm] = useState(before)
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const changes = changesOf(before, form)
  const isChanged = Object.keys(changes).length > 0
  const isDisabled = !canWrite.value
  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      const saved = await request('PATCH /api/v1/organization/newsletters/{newsletter}', {
        params: { newsletter: newsletter.slug },
        body: changes as never,
      })
      const stored = formOfNewsletter(saved)
      setBefore(stored)
      setForm(stored)
      editReply(
        one,
        (params) => params['newsletter'] === newsletter.slug,
        () => saved,
      )
      void invalidateReads(
        'GET /api/v1/organization/newsletters',
        'GET /api/v1/admin/email/campaigns/{campaign_id}/preflight',
      )
      showToast({ kind: 'done', text: 'Saved.' })
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  const text = (name: TextName, label: string, hint?: ComponentChildren, rest: object = {}) => (
    <TextField
      label={label}
      value={form[name]}
      disabled={isDisabled}
      error={asProblem(problem)?.ruleOf(name)}
      onText={(value) => setForm((now) => ({ ...now, [name]: value }))}
      {...(hint === undefined ? {} : { hint })}
      {...rest}
    />
  )
  const area = (name: TextName, label: string, rows: number, hint?: string) => (
    <TextAreaField
      label={label}
      value={form[name]}
      rows={rows}
      disabled={isDisabled}
      error={asProblem(problem)?.ruleOf(name)}
      onText={(value) => setForm((now) => ({ ...now, [name]: value }))}
      {...(hint === undefined ? {} : { hint })}
    />
  )
  const check = (name: CheckName, label: string, hint?: string) => (
    <CheckField
      label={label}
      checked={form[name]}
      disabled={isDisabled}
      error={asProblem(problem)?.ruleOf(name)}
      onChecked={(value) => setForm((now) => ({ ...now, [name]: value }))}
      {...(hint === undefined ? {} : { hint })}
    />
  )
  const isPlaced = Object.keys(form).some((name) => asProblem(problem)?.ruleOf(name) !== undefined)
  return (
    <form class="newsletter-form" onSubmit={(event) => void save(event)}>
      <Panel title="Newsletter">
        <div class="form">
          {text('name', 'Name', undefined, { required: true })}
          {area('description', 'Description', 2, 'Shown in the archive and where people sign up.')}
          {text('locale', 'Language', 'A language tag such as en or pt-BR.', { required: true })}
        </div>
      </Panel>
      <Panel title="Sender">
        <div class="form">
          {text('from_name', 'From name', 'Without it, the name of the newsletter.')}
          {text(
            'from_address',
            'From address',
            <>
              Of a verified <a href="/email/domains">sending domain</a>.
            </>,
            { type: 'email', required: true },
          )}
          {text('reply_to', 'Replies go to', 'Without it, to the From address.', { type: 'email' })}
        </div>
      </Panel>
      <Panel title="Sign-up">
        <div class="form">
          {check(
            'confirm_signups',
            'People confirm their address',
            'Protects your reputation as a sender: nobody can subscribe somebody else.',
          )}
          {text(
            'confirm_redirect_url',
            'Page after the confirmation',
            'An https address of yours.',
            {
              type: 'url',
            },
          )}
          {check('welcome_enabled', 'Send a welcome email')}
          {form.welcome_enabled && (
            <>
              {text('welcome_subject', 'Subject of the welcome email')}
              {area('welcome_markdown', 'Text of the welcome email (Markdown)', 8)}
            </>
          )}
        </div>
      </Panel>
      <Panel title="Emails">
        <div class="form">
          {area(
            'footer',
            'Footer (Markdown)',
            4,
            'Below every campaign, above the unsubscribe link.',
          )}
          {area(
            'postal_address',
            'Postal address',
            2,
            'Some countries require one in every email.',
          )}
          {text('logo_url', 'Logo', 'The https address of an image.', { type: 'url' })}
        </div>
      </Panel>
      <Panel title="Archive">
        <div class="form">
          {check('archive_enabled', 'Sent campaigns can be read on the web')}
          {check('archive_noindex', 'Ask search engines not to index it')}
        </div>
      </Panel>
      <Panel title="Tracking">
        <div class="form">
          {check('track_opens', 'Count opens', 'An invisible image of one pixel.')}
          {check('track_clicks', 'Count clicks', 'Links lead through this server.')}
          {check(
            'track_readers',
            'Store who opened and clicked',
            'Otherwise hits are only counted. Stored hits become anonymous after 90 days.',
          )}
        </div>
      </Panel>
      {problem !== undefined && !isPlaced && <ProblemBox problem={problem} />}
      {!isDisabled && (
        <div class="newsletter-save" data-changed={isChanged}>
          <Button kind="primary" type="submit" busy={busy} disabled={!isChanged}>
            Save changes
          </Button>
          {isChanged && <Button onClick={() => setForm(before)}>Discard</Button>}
          {isPlaced && <span class="field-error">A field above is not right.</span>}
        </div>
      )}
    </form>
  )
}

type TextName = {
  [K in keyof NewsletterForm]: NewsletterForm[K] extends boolean ? never : K
}[keyof NewsletterForm]
type CheckName = Exclude<keyof NewsletterForm, TextName>
