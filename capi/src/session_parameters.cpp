// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "capi/src/arguments.h"
#include "capi/src/arrays.h"
#include "capi/src/failure.h"
#include "capi/src/operators.h"
#include "capi/src/session.h"
#include "engine/training/export/inference_export.h"

using namespace temper;
using namespace temper::capi;

TemperStatus temper_session_parameters_size(TemperSession* session, int32_t trainable_only,
                                            int64_t* elements, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(elements, OpenSession(session)->parametersSize(trainable_only != 0), "elements");
    });
}

TemperStatus temper_session_get_all_parameters(TemperSession* session, int32_t trainable_only,
                                               const TemperArray* buffer, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession open(session);
        Tensor target = tensorFrom(required(buffer, "buffer"), "the parameters");
        const Tensor all = open->toBuffer(trainable_only != 0);
        if (target.dtype() != all.dtype() || target.numElements() != all.numElements()) {
            throw Error(ErrorCode::InvalidInput,
                        "The buffer is " + std::string(dtypeName(target.dtype())) +
                            formatShape(target.shape()) + "; expected " +
                            std::string(dtypeName(all.dtype())) + formatShape(all.shape()) + ".");
        }
        std::memcpy(target.mutableData(), all.data(), all.byteSize());
    });
}

TemperStatus temper_session_set_all_parameters(TemperSession* session, int32_t trainable_only,
                                               const TemperArray* buffer, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession open(session);
        const Tensor all = tensorFrom(required(buffer, "buffer"), "the parameters");
        open->fromBuffer(all, trainable_only != 0);
    });
}

TemperStatus temper_session_export(TemperSession* session, const char* path,
                                   const char* const* outputs, int64_t output_count,
                                   const TemperExportOptions* options, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession open(session);
        const TemperExportOptions known = optionsOf(options, "options");
        InferenceExport request;
        request.path = requiredPath(path, "path");
        request.outputs = namesOf(outputs, output_count, "outputs");
        request.opset = known.opset;
        request.foldBatchNorms = known.fold_batch_norms != 0;
        request.externalData = known.external_data != 0;
        request.asItCame = known.as_it_came != 0;
        request.includeNormalization = known.include_normalization != 0;
        exportInferenceModel(*open, request, *sharedOps());
    });
}
