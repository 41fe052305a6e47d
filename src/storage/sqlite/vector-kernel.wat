;; Dot products of one query with many rows.
;;
;; A row is $stride signed bytes, the query is $stride signed 16-bit numbers; $stride is a multiple
;; of 16. For every row one signed 32-bit sum is written. The caller keeps the query small enough
;; that no sum can overflow.
;;
;; One row at a time on purpose: four rows side by side share the loads of the query, but read
;; memory in four streams, which is slower as soon as the rows do not fit into the cache.
(module
  (memory (export "memory") 1)

  (func (export "dots")
    (param $at i32)      ;; address of the next sixteen bytes, at first of the first row
    (param $end i32)     ;; address behind the last row
    (param $stride i32)  ;; bytes in a row
    (param $query i32)   ;; address of the query
    (param $out i32)     ;; address of the next sum

    (local $row_end i32)
    (local $query_at i32)
    (local $low v128)    ;; four partial sums over the lower eight of every sixteen columns
    (local $high v128)   ;; the same over the upper eight

    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $row_end (i32.add (local.get $at) (local.get $stride)))
        (local.set $query_at (local.get $query))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))

        ;; Load eight bytes widened to 16 bits, multiply by the query, add neighbours; twice.
        (loop $columns
          (local.set $low (i32x4.add (local.get $low)
            (i32x4.dot_i16x8_s
              (v128.load8x8_s (local.get $at))
              (v128.load (local.get $query_at)))))
          (local.set $high (i32x4.add (local.get $high)
            (i32x4.dot_i16x8_s
              (v128.load8x8_s offset=8 (local.get $at))
              (v128.load offset=16 (local.get $query_at)))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $query_at (i32.add (local.get $query_at) (i32.const 32)))
          (br_if $columns (i32.lt_u (local.get $at) (local.get $row_end))))

        (local.set $low (i32x4.add (local.get $low) (local.get $high)))
        (i32.store (local.get $out)
          (i32.add
            (i32.add
              (i32x4.extract_lane 0 (local.get $low))
              (i32x4.extract_lane 1 (local.get $low)))
            (i32.add
              (i32x4.extract_lane 2 (local.get $low))
              (i32x4.extract_lane 3 (local.get $low)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $rows)))))
