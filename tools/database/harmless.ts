/**
 * What a query may name; everything else is refused. So a function of a newer PostgreSQL, of an extension or of the operator
 * stays refused until somebody has reviewed it. Operators can make their own functions available in a view.
 */

const words = (text: string) => text.trim().split(/\s+/)

/** Functions of pg_catalog that change nothing, access nothing outside and show no other session. */
export const harmlessFunctions: ReadonlySet<string> = new Set([
  // text
  ...words(`ascii bit_length btrim casefold char_length character_length chr concat concat_ws convert_from convert_to
    decode encode format initcap is_normalized left length like_escape lower lpad ltrim md5 normalize octet_length overlay
    parse_ident position quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like regexp_match
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right
    rpad rtrim sha224 sha256 sha384 sha512 similar_escape similar_to_escape split_part starts_with string_to_array
    string_to_table strpos substr substring to_ascii to_bin to_hex to_oct translate unicode_assigned unistr upper`),
  // numbers
  ...words(`abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh bit_count cbrt ceil ceiling cos cosd cosh
    cot cotd degrees div erf erfc exp factorial floor gamma gcd get_bit get_byte lcm lgamma ln log log10 min_scale mod pi
    pow power radians random random_normal round scale set_bit set_byte sign sin sind sinh sqrt tan tand tanh trim_scale
    trunc width_bucket`),
  // dates and times
  ...words(`age clock_timestamp date_add date_bin date_part date_subtract date_trunc extract isfinite justify_days
    justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz now overlaps
    statement_timestamp timeofday timezone transaction_timestamp`),
  // from one type to another
  ...words('to_char to_date to_json to_jsonb to_number to_regclass to_regtype to_timestamp'),
  // lists of values
  ...words(`array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
    array_positions array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort
    array_to_json array_to_string array_upper cardinality generate_series generate_subscripts num_nonnulls num_nulls
    trim_array unnest`),
  // JSON
  ...words(`json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_each
    json_each_text json_extract_path json_extract_path_text json_object json_object_keys json_populate_record
    json_populate_recordset json_strip_nulls json_to_record json_to_recordset json_typeof jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
    jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_keys jsonb_path_exists
    jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array
    jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record
    jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
    jsonb_typeof row_to_json`),
  // aggregates and windows
  ...words(`any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist
    dense_rank every first_value json_agg json_agg_strict json_object_agg json_object_agg_strict json_object_agg_unique
    jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique lag last_value lead max
    min mode nth_value ntile percent_rank percentile_cont percentile_disc range_agg range_intersect_agg rank regr_avgx
    regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number stddev stddev_pop
    stddev_samp string_agg sum var_pop var_samp variance`),
  // ranges
  ...words(`daterange datemultirange int4multirange int4range int8multirange int8range isempty lower_inc lower_inf
    multirange nummultirange numrange range_merge tsmultirange tsrange tstzmultirange tstzrange upper_inc upper_inf`),
  // searching text
  ...words(`array_to_tsvector json_to_tsvector jsonb_to_tsvector numnode phraseto_tsquery plainto_tsquery querytree
    setweight strip to_tsquery to_tsvector ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsquery_phrase
    tsvector_to_array websearch_to_tsquery`),
  // addresses, identifiers, shapes
  ...words(`abbrev area box broadcast center circle diameter family gen_random_uuid height host hostmask inet_merge
    inet_same_family isclosed isopen lseg masklen netmask network npoints path point polygon radius set_masklen slope
    uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 width`),
  // what the database is made of
  ...words(`col_description current_database current_schema current_schemas enum_first enum_last enum_range format_type
    obj_description pg_collation_for pg_column_size pg_get_constraintdef pg_get_expr pg_get_indexdef pg_get_viewdef
    pg_size_bytes pg_size_pretty pg_table_is_visible pg_typeof version`),
])

/** Catalogs of the structure, without contents or users of the database: pg_stats, for example, quotes rows. */
export const harmlessCatalogs: ReadonlySet<string> = new Set(
  words(`pg_attrdef pg_attribute pg_class pg_constraint pg_description pg_enum pg_index pg_indexes pg_inherits pg_matviews
    pg_namespace pg_tables pg_timezone_abbrevs pg_timezone_names pg_type pg_views`),
)

export const harmlessInformation: ReadonlySet<string> = new Set(
  words(`check_constraints columns constraint_column_usage domains key_column_usage referential_constraints schemata
    table_constraints tables views`),
)

/** Node types of a parsed SELECT, without XML, sampling, parameters and other statements. */
export const harmlessNodes: ReadonlySet<string> = new Set(
  words(`A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star Alias BitString BoolExpr Boolean BooleanTest CaseExpr
    CaseWhen CoalesceExpr CollateClause ColumnDef ColumnRef CommonTableExpr Float FuncCall GroupingFunc GroupingSet Integer
    JoinExpr JsonArgument JsonArrayAgg JsonArrayConstructor JsonArrayQueryConstructor JsonBehavior JsonFormat JsonFuncExpr
    JsonIsPredicate JsonKeyValue JsonObjectAgg JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr
    JsonSerializeExpr JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List MinMaxExpr NamedArgExpr NullTest
    RangeFunction RangeSubselect RangeVar ResTarget RowExpr SQLValueFunction SelectStmt SortBy String SubLink TypeCast
    TypeName WindowDef`),
)
