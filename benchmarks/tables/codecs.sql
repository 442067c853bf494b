-- Cells of the records of codecs, each with our times and the fastest other library at each instruction set.
--
-- Input: `records` (name, age, cpu) with age 0 for the newest one, and `measured`, their rows, with `age` and `place`,
-- the number of the row in its file. A cell is one codec with its parameters, one operation, one type and kind of data,
-- and one size: consecutive rows, which were measured alternately.

create table backends as
select unnest(['scalar', 'sse4.1', 'avx2', 'avx512', 'neon']) as backend, generate_subscripts(['', '', '', '', ''], 1) as rank;

-- Peers that do not count where they are faster. `up_to` is the best instruction set at which they do less work.
create table uncounted (codec text, library text, reason text, up_to text, does_less text);
insert into uncounted values
    ('bit_packing', 'bitpacking', 'has another layout', 'neon', 'always'),
    ('bit_packing', 'fastlanes', 'has another layout', 'neon', 'always'),
    ('alp', 'alp, fastlanes', 'has another layout', 'neon', 'always'),
    ('big_endian', 'pilota unchecked', 'checks no lengths', 'neon', 'always'),
    ('thrift', 'pilota unchecked', 'checks no lengths and no UTF-8', 'neon', 'always'),
    -- Makes a `String` of bytes that need not be UTF-8, in the messages that consist of one.
    ('thrift', 'pilota', 'reads text without checking UTF-8', 'neon', 'read of a text'),
    -- Load whole vectors past the end of a text, if its page goes on. With AVX-512, `json-escape-simd` masks them.
    ('json_string', 'sonic-rs', 'reads past the end of the text', 'neon', 'encode'),
    ('json_string', 'json-escape-simd', 'reads past the end of the text at AVX2 and SSE4.1', 'avx2', 'encode'),
    -- Decodes from a pointer: control bytes that say so make it read anything, and its vectors go up to 16 bytes beyond
    -- the last value in any case.
    ('stream_vbyte', 'C library', 'is not told the length of its input, and reads past the end', 'neon', 'decode'),
    ('rle_hybrid', 'parquet', 'does not search for the smallest output, and counts against `Effort::Fast`', 'neon', 'encode, smallest'),
    ('rle_hybrid', 'parquet, native', 'does not search for the smallest output, and counts against `Effort::Fast`', 'neon', 'encode, smallest');

-- A difference of up to 5% is a tie, because two runs differ by that much.
create macro is_won(gain) as gain > 1.05;
create macro is_lost(gain) as gain < 1 / 1.05;

create table cell_rows as
select *,
    sum(begins) over (order by age, place) as cell
from (
    select *,
        ((age, codec, parameters, operation, type, data, values) is distinct from
            lag((age, codec, parameters, operation, type, data, values)) over (order by age, place))::int as begins
    from measured
);

-- Our rows: `as_peers` if bytelane was called in the same way as the other libraries.
create table own_rows as
select cell_rows.* exclude (backend), backends.backend, rank, library <> '' as as_peers
from cell_rows
join backends on backends.backend =
    case when library = '' then cell_rows.backend when library like 'bytelane %' then split_part(substr(library, 10), ',', 1) end;

create table cells as
select cell, age, first(codec) as codec, first(parameters) as parameters, first(operation) as operation, first(type) as type,
    first(data) as data, first(values) as values, min(place) as place,
    codec || case when first(parameters) = '' then '' else ':' || first(parameters) end as specification
from cell_rows
group by cell, age, codec;

-- Names with the type if the parameters alone are ambiguous.
create table names as
select cell, '`' || specification || '`' || case
    when count(distinct type) over (partition by age, specification) > 1 then ' of `' || type || '`' else '' end as what
from cells;

-- Our times on each instruction set, called as the peers are if any call was.
create table ours as
with as_called as (
    select *, bool_or(as_peers) over (partition by cell) as any_as_peers from own_rows
),
chosen as (
    select * from as_called where as_peers = any_as_peers
    qualify row_number() over (partition by cell, rank order by place desc) = 1
)
select cell, backend, rank, ns, of_memcpy,
    max(case when backend = 'scalar' then ns end) over (partition by cell) as scalar_ns
from chosen;

create table active as
select * from ours where backend <> 'scalar' qualify rank = max(rank) over (partition by cell);

-- Other libraries. One that is limited to an instruction set has its name after the last comma.
create table peers as
with best as (select cell, max(rank) as rank from own_rows group by cell)
select cell, library, ns, place, level.rank as level, not exists (
        from uncounted join backends on backend = up_to
        where uncounted.codec = cell_rows.codec and uncounted.library = cell_rows.library
            and coalesce(best.rank, 1) <= backends.rank
            and case does_less
                when 'always' then true
                when 'read of a text' then operation = 'read' and type in ('Text', 'SmallString')
                when 'encode, smallest' then operation = 'encode' and not suffix(parameters, 'effort=fast')
                else operation = does_less
            end
    ) as counts
from cell_rows
left join best using (cell)
left join backends as level on contains(library, ', ') and level.backend = list_extract(string_split(library, ', '), -1)
where library <> '' and not exists (from own_rows where own_rows.age = cell_rows.age and own_rows.place = cell_rows.place);

-- The fastest peer of each cell at each of our instruction sets. A peer that does not count is compared where it is not
-- faster than ours. One without a limit is compared with the best instruction set, and with all if there is no limited one.
create table compared as
select ours.*, peers.library, peers.ns / ours.ns as gain, active.rank is not null as is_active
from ours
left join active using (cell, rank)
left join peers on peers.cell = ours.cell
    and (counts or not is_lost(peers.ns / ours.ns))
    and case
        when level is not null then level <= ours.rank
        else active.rank is not null or not exists (
            from peers as limited where limited.cell = peers.cell and limited.level is not null
                and starts_with(limited.library, peers.library || ', ')
        )
    end
where ours.backend <> 'scalar'
qualify row_number() over (partition by ours.cell, ours.rank order by peers.ns, peers.place) = 1;

-- The codecs in the order of the documents.
create table codecs as
select unnest(names) as codec, generate_subscripts(names, 1) as codec_place
from (select ['byte_stream_split', 'big_endian', 'stream_vbyte', 'varint', 'bit_packing', 'delta', 'rle_hybrid', 'validity',
    'alp', 'base64', 'json_string', 'utf8', 'thrift'] as names);

-- The newest record of each CPU with each codec, and the order of the CPUs: first the one with the newest record of most codecs.
create table newest as
select codec, codec_place, cpu, min(age) as age
from codecs join cells using (codec) join records using (age)
group by all;

create table cpus as
select cpu, row_number() over (order by count(*) desc, min(first_age)) as cpu_place
from newest
join (select cpu, min(age) as first_age from records where age in (select age from cells) group by cpu) using (cpu)
group by cpu;

-- The record for the tables of a codec.
create table of_codec as
select codec, codec_place, cpu, age
from newest join cpus using (cpu)
qualify row_number() over (partition by codec order by cpu_place) = 1;
