-- How a From address of a domain stands with an organization: verified; lapsed (it owns the domain, whose DNS records are not right now);
-- allowed by the operator; unknown. The API asks before an email is stored, and the mail process again before it leaves.
create function from_domain_state(organization uuid, from_domain text) returns text language sql stable as $$
  select case
    when state = 'verified' then 'verified'
    when exists (
      select from allowed_from_domains a where a.organization_id = organization and a.domain = from_domain
    ) then 'allowed'
    when state is not null then 'lapsed'
    else 'unknown'
  end
  from (
    select (
      select s.state from sending_domains s
        where s.organization_id = organization and s.domain = from_domain and s.owned_at is not null and s.state <> 'pending'
    ) as state
  ) owned
$$;

-- As a domain is compared: lower case, no trailing dot.
create function domain_of_address(address text) returns text language sql immutable as $$
  select regexp_replace(lower(split_part(address, '@', -1)), '\.$', '')
$$;
