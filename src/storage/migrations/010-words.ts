import { forBoth } from "./migration.ts"

const shared = forBoth(`
    alter table memories add column search_text text;

    create table vocabulary (
      term bigint not null, word text collate "C" not null, primary key (term, word)
    ) without rowid;
    create table spellings (
      variant bigint not null, word text collate "C" not null, primary key (variant, word)
    ) without rowid;
    create table embedding_scales (model text primary key, scale text not null) without rowid;
    create table words_due (seq bigint primary key references memories (seq) on delete cascade);
    insert into words_due select seq from memories;
`)

/**
 * Words of every script. Texts with letters that are not Latin are indexed by `search_text`, which holds their words as
 * `wordsIn` tells them; other texts by themselves, as before. `vocabulary` has the words there are, and `spellings` each
 * of them under the number of what is left when one letter is missing, to find what a mistyped word stands for.
 * `embedding_scales` keeps what the cosines of embedding models mean that were measured here.
 * `words_due` names the memories from before, whose words are noted when the memory is next opened.
 */
export const words = {
  version: 10,
  name: "words",
  sqlite: `${shared.sqlite}
    drop trigger memory_text_added;
    drop trigger memory_text_removed;
    drop trigger memory_text_changed;
    drop table memory_text;
    create view memory_search_texts as select seq, coalesce(search_text, content) as text from memories;
    create virtual table memory_text using fts5 (
      text, content = 'memory_search_texts', content_rowid = 'seq',
      tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
    );
    create trigger memory_text_added after insert on memories begin
      insert into memory_text (rowid, text) values (new.seq, coalesce(new.search_text, new.content));
    end;
    create trigger memory_text_removed after delete on memories begin
      insert into memory_text (memory_text, rowid, text)
        values ('delete', old.seq, coalesce(old.search_text, old.content));
    end;
    create trigger memory_text_changed after update of content, search_text on memories begin
      insert into memory_text (memory_text, rowid, text)
        values ('delete', old.seq, coalesce(old.search_text, old.content));
      insert into memory_text (rowid, text) values (new.seq, coalesce(new.search_text, new.content));
    end;
    insert into memory_text (memory_text) values ('rebuild');
  `,
  postgres: `${shared.postgres}
    alter table memories drop column text_index;
    alter table memories add column text_index tsvector generated always as (
      case when search_text is null then to_tsvector('reverie_english',
        regexp_replace(regexp_replace(normalize(content, NFKD), '[\\u0300-\\u036f]', '', 'g'),
          '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007f]+', ' ', 'g'))
      else to_tsvector('reverie_english', search_text) || array_to_tsvector(string_to_array(search_text, ' ')) end
    ) stored;
    create index memories_by_text on memories using gin (text_index);
  `,
}
