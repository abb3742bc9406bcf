/** Networks from which people have logged in. Guesses elsewhere do not delay log-ins from there. */
import type { Database } from '../database.ts'

const networksPerPersonMax = 50
const keptMs = 180 * 86_400_000

/** Takes the same time for an unknown address. */
export async function isLoginNetwork(
  pg: Database,
  login: { readonly email: string; readonly network: string; readonly now: Date },
): Promise<boolean> {
  const { rows } = await pg.query<{ known: boolean }>(
    `select exists (
       select from login_networks n join people p on p.id = n.person_id
       where p.email = $1 and n.network = $2 and $3 < n.last_login_at
     ) as known`,
    [login.email, login.network, new Date(login.now.getTime() - keptMs)],
  )
  return rows[0]?.known === true
}

export async function rememberLoginNetwork(
  pg: Database,
  login: { readonly personId: string; readonly network: string; readonly now: Date },
): Promise<void> {
  await pg.query(
    `insert into login_networks (person_id, network, last_login_at) values ($1, $2, $3)
     on conflict (person_id, network) do update set last_login_at = greatest(login_networks.last_login_at, excluded.last_login_at)`,
    [login.personId, login.network, login.now],
  )
  await pg.query(
    `delete from login_networks where person_id = $1 and (last_login_at <= $2 or network in (
       select network from login_networks where person_id = $1 order by last_login_at desc, network offset $3
     ))`,
    [login.personId, new Date(login.now.getTime() - keptMs), networksPerPersonMax],
  )
}
