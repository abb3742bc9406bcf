import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../../design/button.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import {
  CheckField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../../../design/forms/field.tsx'
import { asProblem } from '../../../../http/problem.ts'
import { canWrite } from '../../../../session/session.ts'
import { showToast } from '../../../../shell/toast-list.ts'
import { ColorField } from '../../common/color-field.tsx'
import { type PortalTabProps, saveSettings } from '../portal-settings.ts'
import { type BrandingDraft, brandingOf, draftOf, isSameBranding } from './branding-draft.ts'
import { PortalPreview } from './portal-preview.tsx'

const linksMax = 20
/** `--brand` of web/portal/colors.css, without a color of the project's own. */
const portalColor = '#3056d3'

/** Fields at the left, the portal as it would look at the right; nothing is public before Save. */
export function PortalAppearance({ projectId, settings }: PortalTabProps) {
  const saved = draftOf(settings.branding)
  const [draft, setDraft] = useState(saved)
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const isChanged = !isSameBranding(draft, saved)
  const isReadOnly = !canWrite.value
  const change = (part: Partial<BrandingDraft>) => setDraft((before) => ({ ...before, ...part }))
  const rules = asProblem(problem)
  const rule = (name: string) => rules?.ruleOf(`branding.${name}`)
  const save = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const { branding } = await saveSettings(projectId, { branding: brandingOf(draft) })
      setDraft(draftOf(branding))
      showToast({ kind: 'done', text: 'Saved. Visitors see it within three seconds.' })
    } catch (error) {
      setProblem(error as Error)
    }
    setBusy(false)
  }
  const isField = rules?.details.some(({ field }) => field.startsWith('branding.')) === true
  return (
    <div class="portal-appearance">
      <form
        class="form portal-form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div class="portal-save">
          <span class="soft small" role="status">
            {isChanged ? 'Not saved yet' : 'Saved'}
          </span>
          <div class="row">
            {isChanged && (
              <Button size="s" kind="quiet" onClick={() => setDraft(saved)}>
                Discard
              </Button>
            )}
            <Button
              kind="primary"
              type="submit"
              busy={busy}
              disabled={!isChanged || isReadOnly}
              title={isReadOnly ? 'Members of the organization can save.' : undefined}
            >
              Save
            </Button>
          </div>
        </div>
        {problem !== undefined && !isField && <ProblemBox problem={problem} />}
        <fieldset class="portal-fields" disabled={isReadOnly}>
          <legend class="screen-reader">Appearance</legend>
          <TextField
            label="Name"
            placeholder={`${settings.name} · Ideas`}
            maxLength={100}
            value={draft.title}
            onText={(title) => change({ title })}
            error={rule('title')}
          />
          <TextAreaField
            label="Introduction"
            hint="Above the list of ideas, at most 1,000 characters."
            rows={2}
            maxLength={1_000}
            value={draft.description}
            onText={(description) => change({ description })}
            error={rule('description')}
          />
          <TextField
            label="Logo"
            type="url"
            placeholder="https://example.com/logo.svg"
            hint="An https address of a square image."
            value={draft.logo_url}
            onText={(logo_url) => change({ logo_url })}
            error={rule('logo_url')}
          />
          <div class="form-row">
            <ColorField
              label="Main color"
              placeholder={portalColor}
              value={draft.primary_color}
              onValue={(primary_color) => change({ primary_color })}
              error={rule('primary_color')}
            />
            <ColorField
              label="Second color"
              placeholder={draft.primary_color || portalColor}
              value={draft.accent_color}
              onValue={(accent_color) => change({ accent_color })}
              error={rule('accent_color')}
            />
          </div>
          <div class="form-row">
            <SelectField
              label="Theme"
              value={draft.theme}
              choices={[
                { value: 'auto', label: 'As the visitor’s system' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
              onValue={(theme) => change({ theme: theme as BrandingDraft['theme'] })}
            />
            <TextField
              label="Language"
              hint="en, de and ar are translated."
              maxLength={35}
              value={draft.locale}
              onText={(locale) => change({ locale })}
              error={rule('locale')}
            />
          </div>
          <CheckField
            label="Visitors can suggest ideas"
            checked={draft.allow_suggestions}
            onChecked={(allow_suggestions) => change({ allow_suggestions })}
          />
          <CheckField
            label="Visitors can comment"
            checked={draft.allow_comments}
            onChecked={(allow_comments) => change({ allow_comments })}
          />
          <Links draft={draft} onChange={change} ruleOf={rule} />
          <TextField
            label="Footer"
            maxLength={500}
            value={draft.footer_text}
            onText={(footer_text) => change({ footer_text })}
            error={rule('footer_text')}
          />
          <CheckField
            label="Show “Powered by Sluice”"
            checked={draft.show_powered_by}
            onChecked={(show_powered_by) => change({ show_powered_by })}
          />
          <details class="portal-more">
            <summary>Icon and stylesheet</summary>
            <div class="form">
              <TextField
                label="Icon of the tab"
                type="url"
                placeholder="https://example.com/favicon.png"
                value={draft.favicon_url}
                onText={(favicon_url) => change({ favicon_url })}
                error={rule('favicon_url')}
              />
              <TextAreaField
                label="Stylesheet"
                hint="CSS without url(), @import and backslashes, at most 20,000 characters."
                rows={8}
                spellcheck={false}
                maxLength={20_000}
                value={draft.custom_css}
                onText={(custom_css) => change({ custom_css })}
                error={rule('custom_css')}
              />
            </div>
          </details>
        </fieldset>
      </form>
      <PortalPreview
        projectId={projectId}
        settings={settings}
        draft={draft}
        isChanged={isChanged && !isReadOnly}
      />
    </div>
  )
}

interface LinksProps {
  readonly draft: BrandingDraft
  readonly onChange: (part: Partial<BrandingDraft>) => void
  readonly ruleOf: (name: string) => string | undefined
}

function Links({ draft, onChange, ruleOf }: LinksProps) {
  const { links } = draft
  const edit = (index: number, part: Partial<(typeof links)[number]>) =>
    onChange({ links: links.map((link, at) => (at === index ? { ...link, ...part } : link)) })
  return (
    <fieldset class="portal-links">
      <legend class="field-label">Links in the header</legend>
      {links.map((link, index) => (
        <div key={index} class="portal-link">
          <TextField
            label={`Label of link ${index + 1}`}
            hideLabel
            placeholder="Website"
            maxLength={50}
            value={link.label}
            onText={(label) => edit(index, { label })}
            error={ruleOf(`links.${index}.label`)}
          />
          <TextField
            label={`Address of link ${index + 1}`}
            hideLabel
            type="url"
            placeholder="https://example.com"
            value={link.url}
            onText={(url) => edit(index, { url })}
            error={ruleOf(`links.${index}.url`)}
          />
          <IconButton
            icon="close"
            label={`Remove link ${index + 1}`}
            onClick={() => onChange({ links: links.filter((_, at) => at !== index) })}
          />
        </div>
      ))}
      {links.length < linksMax && (
        <Button
          size="s"
          icon="plus"
          onClick={() => onChange({ links: [...links, { label: '', url: '' }] })}
        >
          Add a link
        </Button>
      )}
    </fieldset>
  )
}
