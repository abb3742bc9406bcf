import { Panel } from '../../../../design/content/page.tsx'
import { useRead } from '../../../../http/use-read.ts'
import { isOwner } from '../../../../session/session.ts'

const examples = [
  { rule: 'src/api/**', use: 'Files below a folder.' },
  { rule: '*.css', use: 'Files in any folder.' },
  { rule: 'path:src/billing/', use: 'A folder, the same as src/billing/**.' },
  { rule: 'module:com.shop.*', use: 'Modules of Java, Python and others.' },
  { rule: 'url:https://shop.test/*', use: 'Pages where the error happened.' },
  { rule: 'tags.component:worker', use: 'The value of a tag.' },
] as const
const teamsShownMax = 20

/** The syntax of the rules, and who can be named in them. */
export function RulesHelp() {
  const teams = useRead('GET /api/v1/organization/teams', {})
  const slugs = (teams.data?.items ?? []).map(({ slug }) => slug)
  return (
    <Panel title="Syntax">
      <div class="rules-help">
        <p>
          A line is a pattern and its owners: <code>#team</code> or the email address of a member.
          The first owner that exists gets the issue. A pattern without owner means nobody.{' '}
          <code># …</code> is a comment.
        </p>
        <dl class="rules-examples">
          {examples.map(({ rule, use }) => (
            <div key={rule}>
              <dt>
                <code>{rule}</code>
              </dt>
              <dd class="soft">{use}</dd>
            </div>
          ))}
        </dl>
        <p class="soft">
          <code>\</code> in front of a blank or of <code>#</code> makes it part of the pattern.
          Sections of GitLab and <code>!</code> are not supported.
        </p>
        {teams.data !== undefined &&
          (slugs.length === 0 ? (
            <p class="soft">
              No teams yet. {isOwner.value && <a href="/organization/teams">Create a team</a>}
            </p>
          ) : (
            <div>
              <h3>Teams</h3>
              <p class="rules-owners">
                {slugs.slice(0, teamsShownMax).map((slug) => (
                  <code key={slug}>#{slug}</code>
                ))}
                {slugs.length > teamsShownMax && <a href="/organization/teams">All teams</a>}
              </p>
            </div>
          ))}
      </div>
    </Panel>
  )
}
