-- Giving back a handful of leases costs the same however many the process has had. Until the table was first analyzed its index by
-- boot looks as good as the one by number, and all leases of the boot were read for each handful. So the number is the only thing
-- to look for: `is not distinct from` uses no index, and the table is not read from end to end.

create or replace function give_back_quota(boot uuid, lease_nos bigint[], charges int[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  -- Locked from here on, so none of them is given back by anyone else.
  open_nos constant bigint[] := array(
    select l.lease_no from quota_leases l
     where l.lease_no = any(lease_nos) and l.boot_id is not distinct from boot and l.state = 'open'
     order by l.lease_no for update
  );
begin
  perform from quota_usage u
    where (u.project_id, u.period) in (
      select l.project_id, l.period from quota_leases l where l.lease_no = any(open_nos)
    ) order by u.project_id, u.period for update;
  update quota_usage u set used = u.used - rest.units from (
      select l.project_id, l.period, sum(l.units - r.charged) as units
        from quota_leases l join unnest(lease_nos, charges) as r (lease_no, charged) using (lease_no)
       where l.lease_no = any(open_nos) group by 1, 2
    ) rest
    where u.project_id = rest.project_id and u.period = rest.period;
  update quota_leases l set state = 'closed', units = r.charged
    from unnest(lease_nos, charges) as r (lease_no, charged)
    where l.lease_no = any(open_nos) and l.lease_no = r.lease_no;
end
$$;
