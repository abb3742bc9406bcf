import { CodeBlock, CopyValue } from '../../../design/content/copy.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { Panel } from '../../../design/content/page.tsx'
import type { PortalSettings } from './portal-settings.ts'

export function PortalEmbed({ settings }: { readonly settings: PortalSettings }) {
  const { origin } = location
  const key = settings.project_key
  const page = `${origin}/portal/${key}`
  const token = settings.enduser_auth ? '\n  data-token="{token of the user}"' : ''
  const script = `<script src="${origin}/portal/embed.js"\n  data-portal="${key}"${token} async></script>`
  const feedback = `curl ${origin}/api/v1/p/${key}/feedback \\
  -H 'Content-Type: application/json' \\
  -d '{"message": "The cart forgets what is in it.", "type": "Bug", "path": "/cart"}'`
  return (
    <div class="stack portal-embed">
      <Panel title="Links">
        <Facts
          facts={[
            { name: 'Portal', value: <CopyValue label="the address of the portal" value={page} /> },
            {
              name: 'Suggest an idea',
              value: <CopyValue label="the address of the form" value={`${page}/suggest`} />,
            },
            {
              name: 'Feed of new ideas',
              value: <CopyValue label="the feed of new ideas" value={`${page}/new.atom`} />,
            },
            {
              name: 'Feed of changes',
              value: <CopyValue label="the feed of changes" value={`${page}/changes.atom`} />,
            },
            { name: 'Project key', value: <CopyValue label="the project key" value={key} /> },
          ]}
        />
      </Panel>
      <Panel title="Show it in a page of your product">
        <div class="stack">
          <p class="small">
            The script adds a frame as tall as its content.
            {settings.enduser_auth && ' It passes the token of the user on.'}
          </p>
          <CodeBlock label="HTML" code={script} />
        </div>
      </Panel>
      <Panel title="Send feedback without an SDK">
        <CodeBlock label="cURL" code={feedback} />
      </Panel>
    </div>
  )
}
